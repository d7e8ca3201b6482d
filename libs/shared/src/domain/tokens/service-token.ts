import { createSecretKey, type KeyObject } from "node:crypto";
import { type JWTPayload, SignJWT } from "jose";
import type { TokenHeader } from "../../platform/crypto/jws/token-header.ts";
import { type SignatureResult, verifySignature } from "../../platform/crypto/jws/verify-signature.ts";
import type { Secret } from "../../platform/crypto/secret.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { invalid, type ServiceTokenClaims, serviceTokenCheck, subjectDigest, type TokenVerdict } from "./claims.ts";

/**
 * `typ` of the two tokens of the JWT endpoints, so that they cannot be confused with each other or with an access token of the identity
 * provider.
 */
export const serviceTokenType = "service-access+jwt";
export const serviceRefreshTokenType = "service-refresh+jwt";

const algorithm = "HS256";

/** Issuer and audiences that a site's identifier determines. */
export function serviceTokenNames(identifier: string) {
  return {
    issuer: `${identifier}:jwt`,
    accessAudience: `${identifier}:backchannel`,
    refreshAudience: `${identifier}:jwt-refresh`,
  } as const;
}

export function serviceTokenKey(secret: Secret): KeyObject {
  return createSecretKey(Buffer.from(secret.reveal(), "utf8"));
}

/** Signs the claims unchanged; they must include `iss`, `aud`, `exp` and `iat`. */
export function signServiceToken(
  claims: JWTPayload,
  { key, typ }: { readonly key: KeyObject; readonly typ: string },
): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: algorithm, typ }).sign(key);
}

export interface ServiceTokenRules {
  readonly key: KeyObject;
  readonly identifier: string;
  readonly skewSeconds: number;
  readonly clock: Clock;
}

/** Verifies signature, issuer and times of a token of the JWT endpoints; the caller checks its kind. */
export function verifyServiceSignature(
  token: string,
  { alg }: TokenHeader,
  { key, identifier, skewSeconds, clock }: ServiceTokenRules,
): SignatureResult {
  if (alg !== algorithm) return { reason: "algorithm" };
  const { issuer } = serviceTokenNames(identifier);
  return verifySignature(token, { key, algorithm, issuer, skewSeconds, nowMs: clock.now() });
}

function verdict(claims: ServiceTokenClaims, identifier: string): TokenVerdict {
  return {
    outcome: "ok",
    token: {
      kind: "service",
      subject: claims.sub,
      clientId: "",
      scopes: claims.roles.map((role) => `${identifier}:${role}`),
      expiresAtMs: claims.exp * 1000,
      revocation: { id: claims.family, subjectDigest: subjectDigest(claims.iss, claims.sub), epoch: claims.epoch },
    },
  };
}

/** Verifies everything about an access token from `POST /api/v1/jwt/token` except its revocation. */
export function verifyServiceToken(token: string, header: TokenHeader, rules: ServiceTokenRules): TokenVerdict {
  const result = verifyServiceSignature(token, header, rules);
  if ("reason" in result) return invalid(result.reason);
  const { payload } = result;
  if (payload.aud !== serviceTokenNames(rules.identifier).accessAudience) return { outcome: "wrong_token_type" };
  return serviceTokenCheck.accepts(payload) ? verdict(payload, rules.identifier) : invalid("claims");
}
