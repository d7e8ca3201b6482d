/** Minutes and seconds: "4:07". */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Shows what is running: on a terminal in a line that is rewritten each second, elsewhere in a new line each half minute. */
export function createProgress(count: number, lastMs: number | undefined, what = "checks", { stdout } = process) {
  const started = performance.now();
  const running = new Map<string, string>();
  let ended = 0;
  const elapsed = (): number => performance.now() - started;
  const show = (): void => {
    const of = lastMs === undefined ? "" : `, the last run took ${duration(lastMs)}`;
    const names = [...running].map(([name, detail]) => `${name}${detail && `: ${detail}`}`).join("; ");
    const line = `${duration(elapsed())}${of}; ${ended} of ${count} ${what}; ${names}`;
    stdout.write(stdout.isTTY ? `\r\u001B[K${line.slice(0, stdout.columns - 1)}` : `       ${line}\n`);
  };
  const timer = setInterval(show, stdout.isTTY ? 1000 : 30_000);
  return {
    elapsed,
    /** Replaces the detail of a running check. */
    running: (name: string, detail = "") => void running.set(name, detail),
    ended: (name: string) => {
      running.delete(name);
      ended += 1;
    },
    /** Prints lines that stay. */
    print: (text: string) => void stdout.write(`${stdout.isTTY ? "\r\u001B[K" : ""}${text.trimEnd()}\n`),
    stop: () => clearInterval(timer),
  };
}

export type Progress = ReturnType<typeof createProgress>;
