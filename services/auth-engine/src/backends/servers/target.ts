import type { CircuitBreaker } from "./circuit-breaker.ts";

export interface ServerAddress {
  /** The name in logs, without credentials. */
  readonly uri: string;
}

/** One server of a pool. Its lookups and binds share breaker and load. */
export interface Target<Address extends ServerAddress = ServerAddress> {
  readonly address: Address;
  readonly breaker: CircuitBreaker;
  /** Operations that the server has not yet answered. */
  inFlight: number;
  /** Its last failure, until it is available again. */
  lastError: unknown;
}
