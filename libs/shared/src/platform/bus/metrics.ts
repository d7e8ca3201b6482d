import type { ErrorCode } from "../errors/codes.ts";

/** Irregular events of the bus, as the metrics label them. */
export const busFacts = [
  /** A request that was sent a second time, because its replica fell silent, had left, or the connection was lost. */
  "resent",
  /** A reply to a request that is no longer open, detected by the client or withheld by the server. */
  "late_reply",
  /** A request whose deadline had passed on arrival; it was dropped without side effects. */
  "expired_dropped",
  /** A request rejected because `maxInFlight` requests are being handled. */
  "overloaded",
  /** A message that contains no valid frames, no valid CBOR or a value that does not match its schema. */
  "malformed",
  /** An event that could not be published, or was dropped. */
  "event_lost",
  /** The connection left a working server at which no service that it needs was heard. */
  "moved",
] as const;

/** Metrics of the bus. Both methods are called on the hot path and must not throw. */
export interface BusMetrics {
  /** One of our requests failed, locally or with the peer's error. */
  requestFailed(code: ErrorCode): void;
  counted(fact: (typeof busFacts)[number]): void;
}

export const noMetrics: BusMetrics = { requestFailed: () => undefined, counted: () => undefined };
