/** Why a message from outside is not taken. A closed set: it labels a metric and fills the audit event. */
export const refusalReasons = [
  "parameters",
  "encoding",
  "too_large",
  "not_xml",
  "forbidden_xml",
  "wrong_message",
  "structure",
  "signature_missing",
  "signature_shape",
  "algorithm",
  "signature_wrong",
  "no_certificate",
  "unknown_issuer",
  "metadata_expired",
  "destination",
  "time",
  "replayed",
  "address",
  "unknown_request",
] as const;

export type RefusalReason = (typeof refusalReasons)[number];

/** A message that is refused: 400, and nothing has changed. The detail is for our log; it never reaches the browser. */
export class SamlRefusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, detail: string) {
    super(detail);
    this.name = "SamlRefusal";
    this.reason = reason;
  }
}
