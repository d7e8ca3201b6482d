import type { RedisClient } from "../../platform/redis/client.ts";
import { riskAccountKey, riskFlushedKey, riskReviewKey } from "../../platform/redis/keys/risk.ts";
import { defineScript } from "../../platform/redis/script.ts";
import { decodeAccountFacts, encodeAccountFacts } from "./account-facts.ts";
import { type MergeSettings, mergeAccountFacts } from "./merge-facts.ts";
import { mergeReviews } from "./merge-reviews.ts";
import { isKnownNetwork, newAccountFacts } from "./note.ts";
import { decodeReviews, encodeReviews } from "./review.ts";
import flushRiskFactsLua from "./scripts/flush-risk-facts.lua?raw";
import mergeRiskFactsLua from "./scripts/merge-risk-facts.lua?raw";

const mergeRiskFacts = {
  name: "mergeRiskFacts",
  lua: mergeRiskFactsLua,
  keys: ["factsKey", "reviewsKey", "flushedKey"],
  args: ["expected", "replacement", "livesSeconds"],
} as const;
const flushRiskFacts = {
  name: "flushRiskFacts",
  lua: flushRiskFactsLua,
  keys: ["factsKey", "reviewsKey", "flushedKey"],
  args: ["lifeSeconds"],
} as const;

/** What is stored about an account; a text is empty if there is nothing. */
export interface StoredFacts {
  readonly facts: string;
  readonly reviews: string;
  /** Of the last flush, in milliseconds since the epoch: what was known before is void. 0 if there was none. */
  readonly flushedMs: number;
}

/** Engines write the same value after sign-ins. */
const maxAttempts = 8;

function mergedFacts(texts: readonly string[], minute: number, settings: MergeSettings) {
  const [one, other = one] = texts.flatMap((text) => decodeAccountFacts(text) ?? []);
  return one && other && mergeAccountFacts(one, other, minute, settings);
}

/** A later flush takes with it what the other region has from before. */
export function mergeStoredFacts(
  own: StoredFacts,
  other: StoredFacts,
  minute: number,
  settings: MergeSettings,
): StoredFacts {
  const flushedMs = Math.max(own.flushedMs, other.flushedMs);
  const valid = [own, other].filter((one) => one.flushedMs === flushedMs);
  const facts = mergedFacts(
    valid.map((one) => one.facts),
    minute,
    settings,
  );
  const { networks } = facts ?? newAccountFacts(minute);
  const known = new Set(networks.filter((one) => isKnownNetwork(one, minute, settings)).map(({ id }) => id));
  const [first = [], second = []] = valid.map(({ reviews }) => decodeReviews(reviews) ?? []);
  const reviews = mergeReviews(first, second, { minute, isKnown: (network) => known.has(network) });
  return {
    facts: facts === undefined ? "" : encodeAccountFacts(facts),
    reviews: reviews.length === 0 ? "" : encodeReviews(reviews),
    flushedMs,
  };
}

const flushedText = ({ flushedMs }: StoredFacts): string => (flushedMs === 0 ? "" : String(flushedMs));
const valuesOf = (stored: StoredFacts): string[] => [stored.facts, stored.reviews, flushedText(stored)];

/**
 * What regions know of an account, by the digest of its name. Every method rejects if Redis cannot answer.
 * @param settings of the risk in this region
 */
export function createSharedFacts(redis: RedisClient, keyPrefix: string, settings: () => MergeSettings) {
  const replace = defineScript(redis, mergeRiskFacts);
  const keysOf = (account: string) => ({
    factsKey: riskAccountKey.build(keyPrefix, account),
    reviewsKey: riskReviewKey.build(keyPrefix, account),
    flushedKey: riskFlushedKey.build(keyPrefix, account),
  });
  const read = async (account: string): Promise<StoredFacts> => {
    const { factsKey, reviewsKey, flushedKey } = keysOf(account);
    const [facts, reviews, flushed] = await redis.mget(factsKey, reviewsKey, flushedKey);
    return { facts: facts ?? "", reviews: reviews ?? "", flushedMs: Number(flushed ?? 0) };
  };
  return {
    read,
    /**
     * Adds what another region knows.
     * @returns whether this region now has something that the other one has to read
     */
    merge: async (account: string, other: StoredFacts, minute: number): Promise<boolean> => {
      const livesSeconds = [settings().retentionMinutes * 60, riskReviewKey.ttlSeconds, riskFlushedKey.ttlSeconds];
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const own = await read(account);
        const expected = valuesOf(own);
        const replacement = valuesOf(mergeStoredFacts(own, other, minute, settings()));
        if (replacement.join("\n") === expected.join("\n")) return false;
        const isReplaced = await replace(keysOf(account), {
          expected: JSON.stringify(expected),
          replacement: JSON.stringify(replacement),
          livesSeconds: JSON.stringify(livesSeconds),
        });
        if (isReplaced === 1) return replacement.join("\n") !== valuesOf(other).join("\n");
      }
      throw new RangeError("other processes changed the value during every attempt");
    },
  };
}

export type SharedFacts = ReturnType<typeof createSharedFacts>;

/** Flushes the facts about accounts with digests as names, in all regions. Resolves to the keys that there were. */
export function createSharedFactsFlush(redis: RedisClient, keyPrefix: string) {
  const flush = defineScript(redis, flushRiskFacts);
  return async (account: string): Promise<readonly string[]> => {
    const factsKey = riskAccountKey.build(keyPrefix, account);
    const reviewsKey = riskReviewKey.build(keyPrefix, account);
    const flushedKey = riskFlushedKey.build(keyPrefix, account);
    const removed = await flush({ factsKey, reviewsKey, flushedKey }, { lifeSeconds: riskFlushedKey.ttlSeconds });
    return [factsKey, reviewsKey].filter((_, index) => Array.isArray(removed) && removed[index] === 1);
  };
}
