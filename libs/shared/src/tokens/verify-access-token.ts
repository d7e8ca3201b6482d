import type { Clock } from "../time/clock.ts";
import { type AccessTokenClaims, accessTokenCheck, type VerifiedToken } from "./claims.ts";
import { accessTokenAlgorithms, type VerificationKey } from "./jwks.ts";
import type { KeySource } from "./key-source.ts";
import { subjectDigest } from "./subject-digest.ts";
import type { TokenHeader } from "./token-header.ts";
import { invalid, type TokenVerdict } from "./verdict.ts";
import { verifySignature } from "./verify-signature.ts";

/** `typ` of access tokens (RFC 9068 §2.1). */
export const accessTokenType = "at+jwt";

export interface AccessTokenRules {
  readonly issuer: string;
  readonly audience: string;
  readonly skewSeconds: number;
  readonly clock: Clock;
  readonly keys: KeySource;
}

function hasAudience({ aud }: AccessTokenClaims, audience: string): boolean {
  return typeof aud === "string" ? aud === audience : aud.includes(audience);
}

function verified(claims: AccessTokenClaims): VerifiedToken {
  return {
    kind: "access",
    subject: claims.sub,
    clientId: claims.client_id,
    scopes: (claims.scope ?? "").split(" ").filter((scope) => scope !== ""),
    expiresAtMs: claims.exp * 1000,
    revocation: {
      id: claims.jti,
      subjectDigest: subjectDigest(claims.iss, claims.sub),
      epoch: claims.epoch ?? 0,
    },
  };
}

async function keyOf(kid: string, keys: KeySource): Promise<VerificationKey | TokenVerdict> {
  const held = keys.held(kid);
  if (held !== undefined) return held;
  const found = await keys.find(kid);
  if (found.outcome === "found") return found.key;
  return found.outcome === "unknown" ? invalid("unknown_key") : { outcome: "unavailable", cause: "keys" };
}

/**
 * Everything about an access token but its revocation: RFC 9068 §4, the contract's `token_type` and audience. A token
 * that is ours and alive but of another kind, such as an ID token, is `wrong_token_type`.
 */
export async function verifyAccessToken(
  token: string,
  { alg, kid, typ }: TokenHeader,
  rules: AccessTokenRules,
): Promise<TokenVerdict> {
  const algorithm = accessTokenAlgorithms.find((name) => name === alg);
  if (algorithm === undefined) return invalid("algorithm");
  if (kid === undefined) return invalid("unknown_key");
  const key = await keyOf(kid, rules.keys);
  if ("outcome" in key) return key;
  if (!key.algorithms.includes(algorithm)) return invalid("algorithm");
  const { issuer, audience, skewSeconds, clock } = rules;
  const signature = { key: key.key, algorithms: [algorithm], issuer, skewSeconds, nowMs: clock.now() };
  const result = await verifySignature(token, signature);
  if ("reason" in result) return invalid(result.reason);
  const { payload } = result;
  if (typ !== accessTokenType || payload["token_type"] !== "access_token") return { outcome: "wrong_token_type" };
  if (!accessTokenCheck.accepts(payload)) return invalid("claims");
  return hasAudience(payload, audience) ? { outcome: "ok", token: verified(payload) } : { outcome: "wrong_token_type" };
}
