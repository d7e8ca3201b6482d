import type { RedisClient } from "../redis/client.ts";
import { deniedTokenKey, tokenEpochKey } from "../redis/keys.ts";
import type { Clock } from "../time/clock.ts";
import { createBoundedCache } from "./bounded-cache.ts";
import type { RevocationFacts } from "./claims.ts";

export type RevocationState = "active" | "revoked" | "unavailable";

/** Whether tokens are dead before they expire. */
export interface Revocation {
  /** At once where a look of a short while ago still counts. Never rejects. */
  check(facts: RevocationFacts): RevocationState | Promise<RevocationState>;
}

export interface RevocationOptions {
  readonly redis: Pick<RedisClient, "get">;
  readonly prefix: string;
  readonly clock: Clock;
  /** How long one look counts: the longest time that a revoked token still opens something. */
  readonly ttlMs: number;
  readonly timeoutMs: number;
  readonly maxEntries: number;
  readonly onError: (error: unknown) => void;
}

interface Look {
  readonly state: "active" | "revoked";
  readonly atMs: number;
}

function within<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}

/** An epoch that cannot be read counts as the highest: its tokens are dead. */
function epochOf(stored: string | null): number {
  if (stored === null) return 0;
  const epoch = Number(stored);
  return Number.isFinite(epoch) ? epoch : Number.POSITIVE_INFINITY;
}

/**
 * Denylist and epochs in Redis, looked at once in `ttlMs` for each token; half-way a look is renewed behind the answer,
 * so that a token in steady use never waits. Redis away or slow is `unavailable`, never `active`.
 */
export function createRevocation(options: RevocationOptions): Revocation {
  const { redis, prefix, clock, ttlMs, timeoutMs, maxEntries, onError } = options;
  const looks = createBoundedCache<Look>(maxEntries);
  const pending = new Map<string, Promise<RevocationState>>();

  const look = async (cacheKey: string, facts: RevocationFacts): Promise<RevocationState> => {
    const { id, subjectDigest, kindDigest, epoch } = facts;
    const atMs = clock.now();
    // The one without a kind is that of versions before, which may still raise it.
    const digests = kindDigest === undefined ? [subjectDigest] : [subjectDigest, kindDigest];
    try {
      const [denied, ...epochs] = await within(
        Promise.all([
          redis.get(deniedTokenKey.build(prefix, id)),
          ...digests.map((digest) => redis.get(tokenEpochKey.build(prefix, digest))),
        ]),
        timeoutMs,
      );
      const isDead = denied !== null || epochs.some((current) => epoch < epochOf(current ?? null));
      const state = isDead ? "revoked" : "active";
      looks.set(cacheKey, { state, atMs });
      return state;
    } catch (error) {
      onError(error);
      return "unavailable";
    } finally {
      pending.delete(cacheKey);
    }
  };
  const ask = (cacheKey: string, facts: RevocationFacts): Promise<RevocationState> => {
    const running = pending.get(cacheKey);
    if (running !== undefined) return running;
    const started = look(cacheKey, facts);
    pending.set(cacheKey, started);
    return started;
  };
  return {
    check: (facts) => {
      const cacheKey = `${facts.id} ${facts.epoch} ${facts.kindDigest ?? facts.subjectDigest}`;
      const last = looks.get(cacheKey);
      const age = last === undefined ? Number.POSITIVE_INFINITY : clock.now() - last.atMs;
      if (last === undefined || age >= ttlMs) return ask(cacheKey, facts);
      if (age >= ttlMs / 2) void ask(cacheKey, facts);
      return last.state;
    },
  };
}
