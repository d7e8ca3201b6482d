import { hash } from "node:crypto";
import { createHotCache } from "../../platform/cache/hot-cache.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { VerifiedToken } from "./claims.ts";

export interface VerifiedCacheOptions {
  /** Maximum lifetime of an entry, which never exceeds that of its token. 0 disables the cache. */
  readonly ttlMs: number;
  readonly maxEntries: number;
  /** For the lifetime of entries. */
  readonly clock: Clock;
  /** The clock by which tokens expire; default: `clock`. */
  readonly tokenClock?: Clock | undefined;
}

/** Tokens whose signature and claims were verified recently. It does not cover revocation. */
export function createVerifiedCache({ ttlMs, maxEntries, clock, tokenClock = clock }: VerifiedCacheOptions) {
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
