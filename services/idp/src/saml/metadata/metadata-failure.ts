import type { SamlRefusal } from "../protocol/refusal.ts";

/** Why metadata was not accepted. A closed set, because it labels a metric. */
export const metadataFailures = ["unreachable", "too_large", "not_metadata", "signature", "expired"] as const;

export type MetadataFailure = (typeof metadataFailures)[number];

/** Metadata was not accepted; the previous version remains in use. The detail is for the log. */
export class MetadataError extends Error {
  readonly failure: MetadataFailure;

  constructor(failure: MetadataFailure, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = "MetadataError";
    this.failure = failure;
  }
}

const signatureReasons: ReadonlySet<string> = new Set([
  "signature_missing",
  "signature_shape",
  "signature_wrong",
  "algorithm",
  "no_certificate",
]);

/** Maps a refusal of the reader to a failure. */
export function failureOf({ reason }: SamlRefusal): MetadataFailure {
  if (signatureReasons.has(reason)) return "signature";
  if (reason === "too_large") return "too_large";
  return reason === "time" ? "expired" : "not_metadata";
}
