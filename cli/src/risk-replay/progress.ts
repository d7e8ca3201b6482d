import type { Writable } from "node:stream";

const everyMs = 500;

/** What is known of a log that is being read. */
interface ReadLog {
  /** Bytes of the file; undefined for standard input. */
  readonly size: number | undefined;
  readonly readBytes: () => number;
}

/** Shows on a terminal how much has been read and how long the rest may take; elsewhere nothing. */
export function createProgress({ size, readBytes }: ReadLog, output: Writable) {
  const isShown = "isTTY" in output && output.isTTY === true;
  const startedMs = performance.now();
  let shownMs = startedMs;
  return {
    show: (signIns: number): void => {
      const nowMs = performance.now();
      if (!isShown || nowMs - shownMs < everyMs) return;
      shownMs = nowMs;
      const bytes = readBytes();
      const leftSeconds = size === undefined ? 0 : ((nowMs - startedMs) * (size - bytes)) / bytes / 1000;
      const rest =
        size === undefined ? "" : `, ${Math.floor((100 * bytes) / size)}%, about ${Math.ceil(leftSeconds)} s left`;
      output.write(`\r${signIns} sign-ins${rest}\u001B[K`);
    },
    end: (): void => {
      if (isShown) output.write("\r\u001B[K");
    },
  };
}
