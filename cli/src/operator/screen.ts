import type { Readable, Writable } from "node:stream";

/** The terminal, or the files, of a command that goes on until it is interrupted. */
export interface Screen {
  readonly input: Readable & { readonly isTTY?: boolean; readonly setRawMode?: (isRaw: boolean) => unknown };
  readonly output: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
}

export const processScreen: Screen = { input: process.stdin, output: process.stdout };

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs work until it ends, the process is asked to end, or nobody reads the output any more; then `stop` is aborted, and the work must end. */
export async function untilInterrupted<Result>(
  { output }: Pick<Screen, "output">,
  work: (stop: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const aborter = new AbortController();
  const stop = (): void => aborter.abort();
  for (const signal of signals) process.on(signal, stop);
  // `postern watch | head` ends like this. It stays, because what is written last may fail too.
  output.on("error", stop);
  try {
    return await work(aborter.signal);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}
