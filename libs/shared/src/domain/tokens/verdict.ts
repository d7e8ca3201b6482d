import type { VerifiedToken } from "./claims.ts";

/** Why a token is invalid. For tests and internal counters; the API caller does not see it. */
export type InvalidReason =
  | "too_large"
  | "malformed"
  | "algorithm"
  | "unknown_key"
  | "signature"
  | "issuer"
  | "expired"
  | "not_yet_valid"
  | "claims"
  | "revoked";

/**
 * The result of verifying a token. `unavailable`: a temporary failure, so the token must not be rejected as invalid.
 */
export type TokenVerdict =
  | { readonly outcome: "ok"; readonly token: VerifiedToken }
  | { readonly outcome: "invalid"; readonly reason: InvalidReason }
  /** Issued by us and live, but not an access token for this audience, or one that requires a proof of possession (`isBound`). */
  | { readonly outcome: "wrong_token_type"; readonly isBound?: true }
  | { readonly outcome: "unavailable"; readonly cause: "keys" | "revocation" };

export function invalid(reason: InvalidReason): TokenVerdict {
  return { outcome: "invalid", reason };
}
