import type { JWTPayload } from "jose";
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
  /** The token must name one of them; an empty list asks for none, and then `requiredScopes` must not be empty. */
  readonly audiences: readonly string[];
  /** A token that names one of these is refused, whatever else it names. */
  readonly refusedAudiences?: readonly string[];
  /** The token must have them all. */
  readonly requiredScopes?: readonly string[];
  /** Claims that name the user; the first that the token has counts. Without any, `VerifiedToken` has no user name. */
  readonly usernameClaims?: readonly string[];
  readonly skewSeconds: number;
  readonly clock: Clock;
  readonly keys: KeySource;
}

function scopesOf({ scope = "" }: AccessTokenClaims): readonly string[] {
  return scope.split(" ").filter((name) => name !== "");
}

interface Meant {
  readonly audience: string | readonly string[];
  readonly scopes: readonly string[];
}

/** Rules that ask for neither an audience nor a scope would take every token of the issuer: they take none. */
export function isMeantForUs(
  { audience, scopes }: Meant,
  rules: Pick<AccessTokenRules, "audiences" | "refusedAudiences" | "requiredScopes">,
): boolean {
  const { audiences, refusedAudiences = [], requiredScopes = [] } = rules;
  if (audiences.length === 0 && requiredScopes.length === 0) return false;
  const told = typeof audience === "string" ? [audience] : audience;
  if (refusedAudiences.some((refused) => told.includes(refused))) return false;
  return (
    (audiences.length === 0 || audiences.some((wanted) => told.includes(wanted))) &&
    requiredScopes.every((scope) => scopes.includes(scope))
  );
}

/**
 * An address that nobody verified names no user. Neither does the subject of a client's own token: a client could be
 * registered under a user's name (RFC 9700 §4.15).
 */
function namesUser(payload: JWTPayload, claim: string): boolean {
  if (payload[claim] === undefined) return false;
  if (claim === "email") return payload["email_verified"] === true;
  return claim !== "sub" || payload.sub !== payload["client_id"];
}

export function usernameOf(payload: JWTPayload, claims: readonly string[]): string | undefined {
  const claim = claims.find((name) => namesUser(payload, name));
  const value = claim === undefined ? undefined : payload[claim];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function verified(claims: AccessTokenClaims, username: string | undefined): VerifiedToken {
  return {
    kind: "access",
    subject: claims.sub,
    username,
    clientId: claims.client_id,
    scopes: scopesOf(claims),
    expiresAtMs: claims.exp * 1000,
    revocation: {
      id: claims.jti,
      subjectDigest: subjectDigest(claims.iss, claims.sub),
      epoch: claims.epoch ?? 0,
    },
  };
}

/** What follows from a key, once there is one. */
type WithKey = (key: VerificationKey) => TokenVerdict;

/** At once with a key that is held; only one that is not has to be waited for. */
function withKeyOf(kid: string, keys: KeySource, judge: WithKey): TokenVerdict | Promise<TokenVerdict> {
  const held = keys.held(kid);
  if (held !== undefined) return judge(held);
  return keys.find(kid).then((found) => {
    if (found.outcome === "found") return judge(found.key);
    return found.outcome === "unknown" ? invalid("unknown_key") : { outcome: "unavailable", cause: "keys" };
  });
}

function judgedPayload(payload: JWTPayload, typ: string, rules: AccessTokenRules): TokenVerdict {
  if (typ !== accessTokenType || payload["token_type"] !== "access_token") return { outcome: "wrong_token_type" };
  // Bound to a key that nobody proved here (RFC 9449 §7.1): it is no bearer token.
  if (payload["cnf"] !== undefined) return { outcome: "wrong_token_type" };
  if (!accessTokenCheck.accepts(payload)) return invalid("claims");
  const username = usernameOf(payload, rules.usernameClaims ?? []);
  return isMeantForUs({ audience: payload.aud, scopes: scopesOf(payload) }, rules)
    ? { outcome: "ok", token: verified(payload, username) }
    : { outcome: "wrong_token_type" };
}

/**
 * Everything about an access token but its revocation: RFC 9068 §4, the contract's `token_type`, audience and scope. A token
 * that is ours and alive but of another kind, such as an ID token, is `wrong_token_type`. A promise only where the key
 * is not held.
 */
export function verifyAccessToken(
  token: string,
  { alg, kid, typ }: TokenHeader,
  rules: AccessTokenRules,
): TokenVerdict | Promise<TokenVerdict> {
  const algorithm = accessTokenAlgorithms.find((name) => name === alg);
  if (algorithm === undefined) return invalid("algorithm");
  if (kid === undefined) return invalid("unknown_key");
  const { issuer, skewSeconds, clock } = rules;
  return withKeyOf(kid, rules.keys, ({ key, algorithms }) => {
    if (!algorithms.includes(algorithm)) return invalid("algorithm");
    const result = verifySignature(token, { key, algorithm, issuer, skewSeconds, nowMs: clock.now() });
    return "reason" in result ? invalid(result.reason) : judgedPayload(result.payload, typ, rules);
  });
}
