/** Why a received message is rejected. A closed set, because it labels a metric and is part of the audit record. */
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

/** A rejected message: 400, without any effect. The detail is for the log and is never sent to the browser. */
export class SamlRefusal extends Error {
  readonly reason: RefusalReason;
  /** The claimed sender, for the log; it may be unproved. */
  readonly sender: string | undefined;

  constructor(reason: RefusalReason, detail: string, sender?: string) {
    super(detail);
    this.name = "SamlRefusal";
    this.reason = reason;
    this.sender = sender;
  }
}

/** Runs the work and adds the sender to a refusal. */
export async function namingSender<T>(sender: () => string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SamlRefusal) || error.sender !== undefined || sender() === "") throw error;
    throw new SamlRefusal(error.reason, error.message, sender());
  }
}
