import type { VerifiedToken } from "./claims.ts";

/** Why a token is worth nothing. For tests and counters inside; a caller is told none of it. */
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

/** What checking a token ends with. `unavailable`: nobody could decide, so nobody may say no. */
export type TokenVerdict =
  | { readonly outcome: "ok"; readonly token: VerifiedToken }
  | { readonly outcome: "invalid"; readonly reason: InvalidReason }
  /** Ours and alive, but no access token for this audience. */
  | { readonly outcome: "wrong_token_type" }
  | { readonly outcome: "unavailable"; readonly cause: "keys" | "revocation" };

export function invalid(reason: InvalidReason): TokenVerdict {
  return { outcome: "invalid", reason };
}
