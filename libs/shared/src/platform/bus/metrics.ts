import type { ErrorCode } from "../errors/codes.ts";

/** Metrics of the bus. Every method is called on the hot path and must not throw. */
export interface BusMetrics {
  /** One of our requests failed, locally or with the peer's error. */
  requestFailed(code: ErrorCode): void;
  /** A request that was sent a second time, because its replica fell silent, had left, or the connection was lost. */
  resent(): void;
  /** A reply to a request that is no longer open, detected by the client or withheld by the server. */
  lateReply(): void;
  /** A request whose deadline had passed on arrival; it was dropped without side effects. */
  expiredDropped(): void;
  /** A request rejected because `maxInFlight` requests are being handled. */
  overloaded(): void;
  /** A message that contains no valid frames, no valid CBOR or a value that does not match its schema. */
  malformed(): void;
  /** An event that could not be published, or was dropped. */
  eventLost(): void;
  /** The connection left a working server at which no service that it needs was heard. */
  moved(): void;
}

const nothing = (): void => undefined;

export const noMetrics: BusMetrics = Object.freeze({
  requestFailed: nothing,
  resent: nothing,
  lateReply: nothing,
  expiredDropped: nothing,
  overloaded: nothing,
  malformed: nothing,
  eventLost: nothing,
  moved: nothing,
});
