import type { CircuitBreaker } from "./circuit-breaker.ts";
import type { ServerAddress } from "./server-uri.ts";

/** One server of a pool. Its lookups and binds share breaker and load. */
export interface Target {
  readonly address: ServerAddress;
  readonly breaker: CircuitBreaker;
  /** Operations that the server has not answered yet. */
  inFlight: number;
  /** Why it failed last, until it is known to be back. */
  lastError: unknown;
}
