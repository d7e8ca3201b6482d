/** Deadline and abort signal of a bus call. */
export interface CallContext {
  /** Absolute, in epoch milliseconds. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}
