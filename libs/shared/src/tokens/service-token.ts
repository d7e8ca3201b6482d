import { createSecretKey, type KeyObject } from "node:crypto";
import { type JWTPayload, SignJWT } from "jose";
import type { Secret } from "../crypto/secret.ts";
import type { Clock } from "../time/clock.ts";
import { type ServiceTokenClaims, serviceTokenCheck } from "./claims.ts";
import { subjectDigest } from "./subject-digest.ts";
import type { TokenHeader } from "./token-header.ts";
import { invalid, type TokenVerdict } from "./verdict.ts";
import { type SignatureResult, verifySignature } from "./verify-signature.ts";

/** `typ` of the two tokens of the JWT endpoints: neither passes for the other, nor for an access token of the IdP. */
export const serviceTokenType = "service-access+jwt";
export const serviceRefreshTokenType = "service-refresh+jwt";

const algorithm = "HS256";

/** The names that a site's identifier gives to issuer and audiences. */
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

/** Signs claims as they are; `iss`, `aud`, `exp` and `iat` are among them. */
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

/** Signature, issuer and time of a token of the JWT endpoints; its kind is the caller's to check. */
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

/** Everything about an access token of `POST /api/v1/jwt/token` but its revocation. */
export function verifyServiceToken(token: string, header: TokenHeader, rules: ServiceTokenRules): TokenVerdict {
  const result = verifyServiceSignature(token, header, rules);
  if ("reason" in result) return invalid(result.reason);
  const { payload } = result;
  if (payload.aud !== serviceTokenNames(rules.identifier).accessAudience) return { outcome: "wrong_token_type" };
  return serviceTokenCheck.accepts(payload) ? verdict(payload, rules.identifier) : invalid("claims");
}
