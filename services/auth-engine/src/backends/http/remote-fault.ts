/**
 * Why a server made no decision; label values of a metric. `caller_refused`: it does not accept this site's credentials. `request_refused`: it
 * does not accept the request. `rate_limited`: 429. `failed`: its own temporary failure. `busy`: 502, 503 or 504. `malformed`: the answer
 * contradicts itself or the interface. `oversized`: it is longer than the limit. `loop`: too many engines have passed the request on.
 */
export const remoteFaults = [
  "caller_refused",
  "request_refused",
  "rate_limited",
  "failed",
  "busy",
  "malformed",
  "oversized",
  "timeout",
  "unreachable",
  "loop",
] as const;
export type RemoteFaultKind = (typeof remoteFaults)[number];

/** The other server made no decision, which says nothing about the user. The message is for logs and contains nothing secret. */
export class RemoteFault extends Error {
  override readonly name = "RemoteFault";
  readonly kind: RemoteFaultKind;

  constructor(kind: RemoteFaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
