/** Failures of one network in the current and the previous window, separately for known and unknown accounts. */
export interface WindowCount {
  /** Number of the window: time divided by the period. */
  readonly window: number;
  readonly known: number;
  readonly unknown: number;
  readonly previousKnown: number;
  readonly previousUnknown: number;
  /** Failures that successes subtracted in this window. */
  readonly forgiven: number;
}

export const emptyCount: WindowCount = {
  window: 0,
  known: 0,
  unknown: 0,
  previousKnown: 0,
  previousUnknown: 0,
  forgiven: 0,
};

/** The count as of a later window. If the clock went back, the later window stays. */
export function rolledTo(count: WindowCount, window: number): WindowCount {
  if (window <= count.window) return count;
  const next = window === count.window + 1;
  return {
    window,
    known: 0,
    unknown: 0,
    previousKnown: next ? count.known : 0,
    previousUnknown: next ? count.unknown : 0,
    forgiven: 0,
  };
}

export type Failures = Pick<WindowCount, "known" | "unknown">;

/**
 * The failures that count at a moment: those of this window, and of the previous one the share that still overlaps the
 * period.
 */
export function decayed(count: WindowCount, nowMs: number, periodMs: number): Failures {
  const rolled = rolledTo(count, Math.floor(nowMs / periodMs));
  const left = rolled.window > Math.floor(nowMs / periodMs) ? 1 : 1 - (nowMs % periodMs) / periodMs;
  return {
    known: rolled.known + rolled.previousKnown * left,
    unknown: rolled.unknown + rolled.previousUnknown * left,
  };
}
