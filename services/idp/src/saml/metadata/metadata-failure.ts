import type { SamlRefusal } from "../refusal.ts";

/** Why metadata could not be taken. A closed set: it labels a metric. */
export const metadataFailures = ["unreachable", "too_large", "not_metadata", "signature", "expired"] as const;

export type MetadataFailure = (typeof metadataFailures)[number];

/** Metadata that are not taken; what was known before stays. The detail is for our log. */
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

/** What a refusal of the reader comes to. */
export function failureOf({ reason }: SamlRefusal): MetadataFailure {
  if (signatureReasons.has(reason)) return "signature";
  if (reason === "too_large") return "too_large";
  return reason === "time" ? "expired" : "not_metadata";
}
