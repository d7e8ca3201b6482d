/**
 * A token bucket as one number (generic cell rate algorithm): the debt, which is the time that the bucket needs to be
 * full again. All times are whole microseconds, so that Redis and we compute the same.
 */
export interface Rate {
  /** The debt that one token makes, and the time in which it comes back. */
  readonly intervalUs: number;
  /** The debt of an empty bucket. */
  readonly depthUs: number;
}

export interface RateSettings {
  readonly perSecond: number;
  readonly burst: number;
}

export function rateOf({ perSecond, burst }: RateSettings): Rate {
  const intervalUs = Math.ceil(1_000_000 / perSecond);
  return { intervalUs, depthUs: intervalUs * burst };
}

/** The debt that is left of a bucket that is full at `fullAtUs`; never more than that of an empty one. */
export function debtAt(fullAtUs: number, nowUs: number, { depthUs }: Rate): number {
  return Math.min(depthUs, Math.max(0, fullAtUs - nowUs));
}

/** Time until one token is there; 0 when one is. */
export function untilTokenUs(debtUs: number, { intervalUs, depthUs }: Rate): number {
  return Math.max(0, debtUs + intervalUs - depthUs);
}

/** The debt of a bucket that has its next token in `waitUs`. */
export function debtWithTokenIn(waitUs: number, { intervalUs, depthUs }: Rate): number {
  return Math.min(depthUs, Math.max(0, depthUs - intervalUs + waitUs));
}
