import type { JWTPayload } from "jose";
import type { TokenHeader } from "../../platform/crypto/jws/token-header.ts";
import { verifySignature } from "../../platform/crypto/jws/verify-signature.ts";
import type { Clock } from "../../platform/time/clock.ts";
import {
  type AccessTokenClaims,
  accessTokenCheck,
  invalid,
  kindDigest,
  subjectDigest,
  type TokenSubject,
  type TokenVerdict,
  type VerifiedToken,
} from "./claims.ts";
import { accessTokenAlgorithms, type KeySource, type VerificationKey } from "./key-source.ts";

/** `typ` of access tokens (RFC 9068 §2.1). */
const accessTokenType = "at+jwt";

export interface AccessTokenRules {
  readonly issuer: string;
  /**
   * The token must contain one of them. If the list is empty no audience is required, and then `requiredScopes` must not be empty.
   */
  readonly audiences: readonly string[];
  /** A token with one of these audiences is rejected, whatever else it contains. */
  readonly refusedAudiences?: readonly string[];
  /** The token must have all of them. */
  readonly requiredScopes?: readonly string[];
  /** Tokens that are accepted whatever else is required: those with this audience and at least one of these scopes. */
  readonly profile?: { readonly audience: string; readonly scopes: readonly string[] } | undefined;
  /** Claims with the user name; the first one in the token counts. If empty, `VerifiedToken` has no user name. */
  readonly usernameClaims?: readonly string[];
  /** Every token that these rules accept belongs to a user, even if a client has the same name. */
  readonly isForUsers?: boolean;
  readonly skewSeconds: number;
  readonly clock: Clock;
  /** The latest time that it may be, where clocks disagree; default: `clock`. */
  readonly latestClock?: Clock;
  readonly keys: KeySource;
}

function scopesOf({ scope = "" }: AccessTokenClaims): readonly string[] {
  return scope.split(" ").filter((name) => name !== "");
}

/** Rules that require neither audience nor scope would accept every token of the issuer; they accept none. */
export function isMeantForUs(
  { audience, scopes }: { readonly audience: string | readonly string[]; readonly scopes: readonly string[] },
  rules: Pick<AccessTokenRules, "audiences" | "refusedAudiences" | "requiredScopes" | "profile">,
): boolean {
  const { audiences, refusedAudiences = [], requiredScopes = [], profile } = rules;
  const tokenAudiences = typeof audience === "string" ? [audience] : audience;
  if (refusedAudiences.some((refused) => tokenAudiences.includes(refused))) return false;
  if (profile !== undefined && tokenAudiences.includes(profile.audience)) {
    return profile.scopes.some((scope) => scopes.includes(scope));
  }
  if (audiences.length === 0 && requiredScopes.length === 0) return false;
  return (
    (audiences.length === 0 || audiences.some((wanted) => tokenAudiences.includes(wanted))) &&
    requiredScopes.every((scope) => scopes.includes(scope))
  );
}

/**
 * An unverified email address does not name a user. Nor does the subject of a client's own token: a client could be registered under a
 * user's name (RFC 9700 §4.15).
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

function subjectOf({ sub, client_id }: AccessTokenClaims, { isForUsers = false }: AccessTokenRules): TokenSubject {
  return { kind: !isForUsers && sub === client_id ? "client" : "user", id: sub };
}

/** Claims of other issuers may have any form, and some send 0 if they do not know the time. */
const signInOf = ({ auth_time: time, iat }: JWTPayload): number | undefined =>
  typeof time === "number" && time > 0 ? time : iat;

function verified(claims: AccessTokenClaims, username: string | undefined, rules: AccessTokenRules): VerifiedToken {
  return {
    kind: "access",
    subject: claims.sub,
    username,
    clientId: claims.client_id,
    scopes: scopesOf(claims),
    expiresAtMs: claims.exp * 1000,
    signedInAt: signInOf(claims),
    revocation: {
      id: claims.jti,
      subjectDigest: subjectDigest(claims.iss, claims.sub),
      kindDigest: kindDigest(claims.iss, subjectOf(claims, rules)),
      epoch: claims.epoch ?? 0,
    },
  };
}

/** Judges with a key once it is available: synchronously if it is in memory, otherwise in a promise. */
function withKeyOf(kid: string, keys: KeySource, judge: (key: VerificationKey) => TokenVerdict) {
  const held = keys.held(kid);
  if (held !== undefined) return judge(held);
  return keys.find(kid).then((found): TokenVerdict => {
    if (found.outcome === "found") return judge(found.key);
    return found.outcome === "unknown" ? invalid("unknown_key") : { outcome: "unavailable", cause: "keys" };
  });
}

function judgedPayload(payload: JWTPayload, typ: string, rules: AccessTokenRules): TokenVerdict {
  if (typ !== accessTokenType || payload["token_type"] !== "access_token") return { outcome: "wrong_token_type" };
  // Bound to a key whose possession is not proved here (RFC 9449 §7.1): it is not a bearer token.
  if (payload["cnf"] !== undefined) return { outcome: "wrong_token_type", isBound: true };
  if (!accessTokenCheck.accepts(payload)) return invalid("claims");
  const username = usernameOf(payload, rules.usernameClaims ?? []);
  return isMeantForUs({ audience: payload.aud, scopes: scopesOf(payload) }, rules)
    ? { outcome: "ok", token: verified(payload, username, rules) }
    : { outcome: "wrong_token_type" };
}

/**
 * Verifies everything about an access token except its revocation: RFC 9068 §4, `token_type`, audience and scope. A token that is ours and
 * live but of another kind, such as an ID token, is `wrong_token_type`. Returns a promise only if the key is not in memory.
 */
export function verifyAccessToken(
  token: string,
  { alg, kid, typ }: TokenHeader,
  rules: AccessTokenRules,
): TokenVerdict | Promise<TokenVerdict> {
  const algorithm = accessTokenAlgorithms.find((name) => name === alg);
  if (algorithm === undefined) return invalid("algorithm");
  if (kid === undefined) return invalid("unknown_key");
  const { issuer, skewSeconds, clock, latestClock } = rules;
  return withKeyOf(kid, rules.keys, ({ key, algorithms }) => {
    if (!algorithms.includes(algorithm)) return invalid("algorithm");
    const times = { nowMs: clock.now(), latestMs: latestClock?.now() };
    const result = verifySignature(token, { key, algorithm, issuer, skewSeconds, ...times });
    return "reason" in result ? invalid(result.reason) : judgedPayload(result.payload, typ, rules);
  });
}
