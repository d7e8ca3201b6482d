/** What a call of the bus brings with it. */
export interface CallContext {
  /** Absolute, in epoch milliseconds. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}
