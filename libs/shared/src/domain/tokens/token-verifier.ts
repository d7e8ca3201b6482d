import { hash } from "node:crypto";
import { createHotCache } from "../../platform/cache/hot-cache.ts";
import { createHeaderReader } from "../../platform/crypto/jws/token-header.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { invalid, type TokenVerdict, type VerifiedToken } from "./claims.ts";
import type { Revocation, RevocationState } from "./revocation.ts";
import {
  type ServiceTokenRules,
  serviceRefreshTokenType,
  serviceTokenType,
  verifyServiceToken,
} from "./service-token.ts";
import { type AccessTokenRules, verifyAccessToken } from "./verify-access-token.ts";

/**
 * Tokens whose signature and claims were verified recently. It does not cover revocation.
 * @param ttlMs maximum lifetime of an entry, which never exceeds that of its token. 0 disables the cache.
 * @param clock for the lifetime of entries; tokens expire by `tokenClock`.
 */
export function createVerifiedCache(ttlMs: number, maxEntries: number, clock: Clock, tokenClock = clock) {
  const entries = createHotCache<{ readonly token: VerifiedToken; readonly untilMs: number }>(maxEntries);
  // A disabled cache gives all tokens the same digest, whatever the clock does.
  const keepsAny = ttlMs > 0;
  return {
    /** SHA-256 of a token, so that the cache contains no tokens. A constant if the cache is disabled. */
    digest: (token: string): string => (keepsAny ? hash("sha256", token, "base64") : ""),
    get: (digest: string): VerifiedToken | undefined => {
      if (!keepsAny) return undefined;
      const entry = entries.get(digest);
      if (entry === undefined) return undefined;
      if (clock.now() < entry.untilMs) return entry.token;
      entries.delete(digest);
      return undefined;
    },
    set: (digest: string, token: VerifiedToken): void => {
      const lifeMs = Math.min(ttlMs, token.expiresAtMs - tokenClock.now());
      if (keepsAny && lifeMs > 0) entries.set(digest, { token, untilMs: clock.now() + lifeMs });
    },
  };
}

/** Verifies API callers' tokens. */
export interface TokenVerifier {
  /**
   * Synchronous if the key is in memory and a recent revocation check is still valid. A recently verified token is not verified again.
   * Never throws or rejects.
   */
  verify(token: string): TokenVerdict | Promise<TokenVerdict>;
}

interface TokenVerifierOptions {
  /** Rules for access tokens of the identity provider; if absent, they are rejected. */
  readonly access: AccessTokenRules | undefined;
  /** Rules for tokens of the JWT endpoints; if absent, they are rejected. */
  readonly service: ServiceTokenRules | undefined;
  readonly revocation: Revocation;
  /** For the lifetime of what is remembered; it must not step. The rules have the clock by which tokens expire. */
  readonly clock: Clock;
  readonly cacheTtlMs: number;
  readonly maxCached: number;
  readonly onError: (error: unknown) => void;
}

/** Longer tokens are rejected unread. */
export const maxTokenLength = 8192;

function judged(token: VerifiedToken, state: RevocationState): TokenVerdict {
  if (state === "active") return { outcome: "ok", token };
  return state === "revoked" ? invalid("revoked") : { outcome: "unavailable", cause: "revocation" };
}

/**
 * The header's `typ` determines the kind that a token claims to be. Each kind has its own keys and each key its own algorithm, so that no
 * token can be mistaken for another kind (RFC 8725 §3.1, §3.11, §3.12).
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { access, service, revocation, clock, cacheTtlMs, maxCached, onError } = options;
  const cache = createVerifiedCache(cacheTtlMs, maxCached, clock, (access ?? service)?.clock);
  const headerOf = createHeaderReader();

  const signed = (token: string): TokenVerdict | Promise<TokenVerdict> => {
    const header = headerOf(token);
    if (header === undefined) return invalid("malformed");
    if (header.typ === serviceTokenType || header.typ === serviceRefreshTokenType) {
      return service === undefined ? invalid("unknown_key") : verifyServiceToken(token, header, service);
    }
    return access === undefined ? invalid("unknown_key") : verifyAccessToken(token, header, access);
  };
  const undecided = (error: unknown): TokenVerdict => {
    onError(error);
    return { outcome: "unavailable", cause: "keys" };
  };
  const alive = (token: VerifiedToken): TokenVerdict | Promise<TokenVerdict> => {
    const state = revocation.check(token.revocation);
    return typeof state === "string" ? judged(token, state) : state.then((found) => judged(token, found));
  };
  const remembered = (verdict: TokenVerdict, digest: string): TokenVerdict | Promise<TokenVerdict> => {
    if (verdict.outcome !== "ok") return verdict;
    cache.set(digest, verdict.token);
    return alive(verdict.token);
  };
  const first = (token: string, digest: string): TokenVerdict | Promise<TokenVerdict> => {
    try {
      const verdict = signed(token);
      if (!(verdict instanceof Promise)) return remembered(verdict, digest);
      return verdict.then((found) => remembered(found, digest)).catch(undecided);
    } catch (error) {
      return undecided(error);
    }
  };
  return {
    verify: (token) => {
      if (token.length > maxTokenLength) return invalid("too_large");
      const digest = cache.digest(token);
      const known = cache.get(digest);
      return known === undefined ? first(token, digest) : alive(known);
    },
  };
}
