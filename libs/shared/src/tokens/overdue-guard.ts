/** Gives up what takes too long. */
export interface OverdueGuard {
  /** Calls `giveUp` after the time, unless it was removed. */
  add(giveUp: () => void): void;
  remove(giveUp: () => void): void;
}

/** One timer for all who wait, at the oldest: a timer for each question costs as much as the question. */
export function createOverdueGuard(timeoutMs: number): OverdueGuard {
  const waiting = new Map<() => void, number>();
  let timer: NodeJS.Timeout | undefined;
  const lookAgainIn = (ms: number): void => {
    timer = setTimeout(sweep, ms);
    timer.unref();
  };
  const sweep = (): void => {
    timer = undefined;
    for (const [giveUp, untilMs] of waiting) {
      const leftMs = untilMs - performance.now();
      if (leftMs > 0) {
        lookAgainIn(Math.ceil(leftMs));
        return;
      }
      waiting.delete(giveUp);
      giveUp();
    }
  };
  return {
    add: (giveUp) => {
      waiting.set(giveUp, performance.now() + timeoutMs);
      if (timer === undefined) lookAgainIn(timeoutMs);
    },
    remove: (giveUp) => void waiting.delete(giveUp),
  };
}
