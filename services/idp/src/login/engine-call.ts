/** The deadline of a call to an engine, and the request that it belongs to. */
export interface EngineCall {
  readonly session: string;
  /** For the audit stream. */
  readonly clientIp?: string | undefined;
  /** Time of `steadyClock`. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}
