import type { RedisClient } from "../redis/client.ts";
import { deniedTokenKey, tokenEpochKey } from "../redis/keys.ts";
import type { Clock } from "../time/clock.ts";
import type { RevocationFacts } from "./claims.ts";
import { createRecentLooks } from "./recent-looks.ts";

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
  /** Told of the first failure in a row. */
  readonly onError: (error: unknown) => void;
}

/** An epoch that cannot be read counts as the highest: its tokens are dead. */
function epochOf(stored: string | null): number {
  if (stored === null) return 0;
  const epoch = Number(stored);
  return Number.isFinite(epoch) ? epoch : Number.POSITIVE_INFINITY;
}

type Look<Value> = Value | undefined;

/** One look that says so is enough for `revoked`; `active` takes them all. */
function stateOf(isDenied: Look<boolean>, epochs: readonly Look<number>[], epoch: number): RevocationState {
  if (isDenied === true || epochs.some((current) => current !== undefined && epoch < current)) return "revoked";
  return isDenied === undefined || epochs.includes(undefined) ? "unavailable" : "active";
}

const isKnown = (look: number | Promise<Look<number>>): look is number => typeof look === "number";

/**
 * Denylist and epochs in Redis. A token is looked for in the denylist once in `ttlMs`, a subject's epoch is read once in
 * `ttlMs` for all of its tokens; half-way both are renewed behind the answer, so that what is in steady use never
 * waits. Redis away or slow is `unavailable`, never `active`.
 */
export function createRevocation(options: RevocationOptions): Revocation {
  const { redis, prefix, onError } = options;
  let isFailing = false;
  const get = async (key: string): Promise<string | null> => {
    const value = await redis.get(key);
    isFailing = false;
    return value;
  };
  const looks = {
    ...options,
    onError: (error: unknown): void => {
      if (!isFailing) onError(error);
      isFailing = true;
    },
  };
  const denials = createRecentLooks({
    ...looks,
    read: async (id) => (await get(deniedTokenKey.build(prefix, id))) !== null,
  });
  const epochs = createRecentLooks({
    ...looks,
    read: async (digest) => epochOf(await get(tokenEpochKey.build(prefix, digest))),
  });
  return {
    check: ({ id, subjectDigest, kindDigest, epoch }) => {
      const isDenied = denials.at(id);
      // The one without a kind is that of versions before, which may still raise it.
      const current = [epochs.at(subjectDigest), ...(kindDigest === undefined ? [] : [epochs.at(kindDigest)])];
      if (typeof isDenied === "boolean" && current.every(isKnown)) return stateOf(isDenied, current, epoch);
      return Promise.all([isDenied, ...current]).then(([denied, ...known]) => stateOf(denied, known, epoch));
    },
  };
}
