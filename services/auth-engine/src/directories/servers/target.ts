import type { CircuitBreaker } from "./circuit-breaker.ts";

export interface ServerAddress {
  /** As it is named in logs: without credentials. */
  readonly uri: string;
}

/** One server of a pool. Its lookups and binds share breaker and load. */
export interface Target<Address extends ServerAddress = ServerAddress> {
  readonly address: Address;
  readonly breaker: CircuitBreaker;
  /** Operations that the server has not answered yet. */
  inFlight: number;
  /** Why it failed last, until it is known to be back. */
  lastError: unknown;
}
