import { hash } from "node:crypto";
import type { Clock } from "../time/clock.ts";
import { createBoundedCache } from "./bounded-cache.ts";
import type { VerifiedToken } from "./claims.ts";

/** Tokens whose signature and claims were found good a short while ago. Revocation is not its matter. */
export interface VerifiedCache {
  /** SHA-256 of a token: the cache holds no token. Anything where nothing is kept. */
  digest(token: string): string;
  get(digest: string): VerifiedToken | undefined;
  set(digest: string, token: VerifiedToken): void;
}

export interface VerifiedCacheOptions {
  /** Longest life of an entry; none outlives its token. 0 keeps nothing. */
  readonly ttlMs: number;
  readonly maxEntries: number;
  readonly clock: Clock;
}

export function createVerifiedCache({ ttlMs, maxEntries, clock }: VerifiedCacheOptions): VerifiedCache {
  const entries = createBoundedCache<{ readonly token: VerifiedToken; readonly untilMs: number }>(maxEntries);
  // All tokens have one digest then, whatever the clock does.
  const keepsAny = ttlMs > 0;
  return {
    digest: (token) => (keepsAny ? hash("sha256", token, "base64") : ""),
    get: (digest) => {
      if (!keepsAny) return undefined;
      const entry = entries.get(digest);
      if (entry === undefined) return undefined;
      if (clock.now() < entry.untilMs) return entry.token;
      entries.delete(digest);
      return undefined;
    },
    set: (digest, token) => {
      const now = clock.now();
      const untilMs = Math.min(now + ttlMs, token.expiresAtMs);
      if (keepsAny && untilMs > now) entries.set(digest, { token, untilMs });
    },
  };
}
