/** Failures of one network in this window and in the one before, by whether a directory knows the account. */
export interface WindowCount {
  /** Number of the window: time divided by the period. */
  readonly window: number;
  readonly known: number;
  readonly unknown: number;
  readonly previousKnown: number;
  readonly previousUnknown: number;
}

export const emptyCount: WindowCount = { window: 0, known: 0, unknown: 0, previousKnown: 0, previousUnknown: 0 };

/** The count seen from a later window. A clock that went back stays in the window that was. */
export function rolledTo(count: WindowCount, window: number): WindowCount {
  if (window <= count.window) return count;
  const next = window === count.window + 1;
  return {
    window,
    known: 0,
    unknown: 0,
    previousKnown: next ? count.known : 0,
    previousUnknown: next ? count.unknown : 0,
  };
}

export interface Failures {
  readonly known: number;
  readonly unknown: number;
}

/** What counts at a moment: this window's failures, and of the one before the share that is not over yet. */
export function decayed(count: WindowCount, nowMs: number, periodMs: number): Failures {
  const rolled = rolledTo(count, Math.floor(nowMs / periodMs));
  const left = rolled.window > Math.floor(nowMs / periodMs) ? 1 : 1 - (nowMs % periodMs) / periodMs;
  return {
    known: rolled.known + rolled.previousKnown * left,
    unknown: rolled.unknown + rolled.previousUnknown * left,
  };
}
