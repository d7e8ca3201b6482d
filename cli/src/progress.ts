import type { Writable } from "node:stream";

const everyMs = 500;

/** Shows on a terminal how much has been done and how long the rest may take; elsewhere nothing. */
export function createProgress(output: Writable) {
  const isShown = "isTTY" in output && output.isTTY === true;
  const startedMs = performance.now();
  let shownMs = startedMs;
  return {
    /** @param done share of the whole; undefined if nobody knows how much there is */
    show: (what: string, done: number | undefined): void => {
      const nowMs = performance.now();
      if (!isShown || nowMs - shownMs < everyMs) return;
      shownMs = nowMs;
      const leftSeconds = done === undefined ? 0 : ((nowMs - startedMs) * (1 - done)) / Math.max(done, 1e-6) / 1000;
      const rest = done === undefined ? "" : `, ${Math.floor(100 * done)}%, about ${Math.ceil(leftSeconds)} s left`;
      output.write(`\r${what}${rest}\u001B[K`);
    },
    end: (): void => {
      if (isShown) output.write("\r\u001B[K");
    },
  };
}
