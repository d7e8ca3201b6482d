/** Deadline and abort signal of a bus call. */
export interface CallContext {
  /** Absolute, in epoch milliseconds. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** Identifies the request, even if another engine receives it too; absent outside the bus. */
  readonly requestId?: string;
}
