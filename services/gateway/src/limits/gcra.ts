/**
 * A token bucket as one number (generic cell rate algorithm): the debt, which is the time until the bucket is full again. All times are
 * integer microseconds, so that Redis and the gateway compute the same.
 */
export interface Rate {
  /** The debt of one token, which is the time in which it is refilled. */
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

/** The remaining debt of a bucket that is full at `fullAtUs`; at most that of an empty one. */
export function debtAt(fullAtUs: number, nowUs: number, { depthUs }: Rate): number {
  return Math.min(depthUs, Math.max(0, fullAtUs - nowUs));
}

/** Time until a token is available; 0 if one is. */
export function untilTokenUs(debtUs: number, { intervalUs, depthUs }: Rate): number {
  return Math.max(0, debtUs + intervalUs - depthUs);
}

/** Number of whole tokens at this debt. */
export function tokensIn(debtUs: number, { intervalUs, depthUs }: Rate): number {
  return Math.max(0, Math.floor((depthUs - debtUs) / intervalUs));
}

/** The debt of a bucket whose next token is available in `waitUs`. */
export function debtWithTokenIn(waitUs: number, { intervalUs, depthUs }: Rate): number {
  return Math.min(depthUs, Math.max(0, depthUs - intervalUs + waitUs));
}
