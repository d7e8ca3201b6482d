/** Why the service behind a path did not answer; label values of a metric. */
export const ownerFailures = ["silent", "refused", "timeout", "oversized", "other"] as const;
export type OwnerFailure = (typeof ownerFailures)[number];

/** The request was failed because its owner does not respond at all. */
export class OwnerSilentError extends Error {
  override readonly name = "OwnerSilentError";
}

const reasonOfCode: Readonly<Record<string, OwnerFailure>> = {
  UND_ERR_CONNECT_TIMEOUT: "silent",
  ECONNREFUSED: "refused",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_HEADERS_OVERFLOW: "oversized",
};

/** The library wraps its errors, some of them more than once. */
export function failureReason(error: unknown): OwnerFailure {
  let current = error;
  for (let depth = 0; depth < 4 && current instanceof Error; depth += 1) {
    if (current instanceof OwnerSilentError) return "silent";
    const reason = "code" in current ? reasonOfCode[String(current.code)] : undefined;
    if (reason !== undefined) return reason;
    current = current.cause;
  }
  return "other";
}
