import type { ErrorCode } from "../errors/codes.ts";

/** What the bus tells the metrics of its process; every method is called on the hot path and must not throw. */
export interface BusMetrics {
  /** A request of ours ended in an error, our own or the peer's. */
  requestFailed(code: ErrorCode): void;
  /** A reply nobody waits for any more, seen by the client or held back by the server. */
  lateReply(): void;
  /** A request whose deadline had passed on arrival; dropped without side effects. */
  expiredDropped(): void;
  /** A request refused because `maxInFlight` are being handled. */
  overloaded(): void;
  /** A message that is no frames, no CBOR or not of its schema. */
  malformed(): void;
  /** An event that could not be published or was dropped. */
  eventLost(): void;
}

const nothing = (): void => undefined;

export const noMetrics: BusMetrics = Object.freeze({
  requestFailed: nothing,
  lateReply: nothing,
  expiredDropped: nothing,
  overloaded: nothing,
  malformed: nothing,
  eventLost: nothing,
});
