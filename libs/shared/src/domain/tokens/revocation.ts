import type { RedisClient } from "../../platform/redis/client.ts";
import { deniedTokenKey, tokenEpochKey } from "../../platform/redis/keys/general.ts";
import { defineScript } from "../../platform/redis/script.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { RegionLog } from "../regions/index.ts";
import { kindDigest, type RevocationFacts, subjectDigest, type TokenSubject } from "./claims.ts";
import { createRecentReads, type RecentReadsOptions } from "./recent-reads.ts";
import mergeTokenEpochLua from "./scripts/merge-token-epoch.lua?raw";
import raiseTokenEpochLua from "./scripts/raise-token-epoch.lua?raw";

const longestSkewSeconds = 60;

/**
 * Revokes tokens before they expire. Rejects if Redis did not store it: then nothing is revoked.
 * @param log where other regions read of it; absent without regions
 */
export function createRevoker(redis: RedisClient, keyPrefix: string, clock: Clock, log?: Pick<RegionLog, "append">) {
  const raise = defineScript(redis, {
    name: "raiseTokenEpoch",
    lua: raiseTokenEpochLua,
    keys: ["epochKey"],
    args: ["lifeSeconds"],
  });
  const epochKey = (digest: string): string => tokenEpochKey.build(keyPrefix, digest);
  const epochAt = async (digest: string): Promise<number> => Number((await redis.get(epochKey(digest))) ?? 0);
  return {
    /** Revokes one token, or a family, until it would have expired. */
    deny: async (id: string, expiresAtMs: number): Promise<void> => {
      // A verifier accepts tokens some seconds beyond their expiry.
      const seconds = Math.ceil((expiresAtMs - clock.now()) / 1000) + longestSkewSeconds;
      if (seconds <= 0) return;
      await redis.set(deniedTokenKey.build(keyPrefix, id), "1", "EX", Math.min(seconds, deniedTokenKey.ttlSeconds));
      await log?.append({ kind: "token-denied", id, remainingMs: seconds * 1000 });
    },
    /**
     * All tokens that a subject has so far; a name if the issuer has no clients. Earlier versions of the services know only tokens that are
     * denied by name.
     */
    denySubject: async (issuer: string, subject: TokenSubject | string): Promise<void> => {
      const digest = typeof subject === "string" ? subjectDigest(issuer, subject) : kindDigest(issuer, subject);
      const epoch = await raise({ epochKey: epochKey(digest) }, { lifeSeconds: tokenEpochKey.ttlSeconds });
      await log?.append({ kind: "subject-denied", digest, epoch: Number(epoch) });
    },
    /** The `epoch` of a new token of this subject. The subject is a name if the issuer has no clients. */
    epochOf: async (issuer: string, subject: TokenSubject | string): Promise<number> => {
      if (typeof subject === "string") return epochAt(subjectDigest(issuer, subject));
      const digests = [subjectDigest(issuer, subject.id), kindDigest(issuer, subject)];
      return Math.max(...(await Promise.all(digests.map(epochAt))));
    },
  };
}

export type Revoker = ReturnType<typeof createRevoker>;

/** What another region revoked is revoked here. */
export function createRevocationMerge(redis: RedisClient, keyPrefix: string) {
  const merge = defineScript(redis, {
    name: "mergeTokenEpoch",
    lua: mergeTokenEpochLua,
    keys: ["epochKey"],
    args: ["epoch", "lifeSeconds"],
  });
  return {
    deny: async (id: string, remainingMs: number): Promise<void> => {
      const seconds = Math.min(Math.ceil(remainingMs / 1000), deniedTokenKey.ttlSeconds);
      if (seconds > 0) await redis.set(deniedTokenKey.build(keyPrefix, id), "1", "EX", seconds);
    },
    /** The same epoch in all regions, since a token of one is valid in the others. */
    denySubject: async (digest: string, epoch: number): Promise<void> => {
      const epochKey = tokenEpochKey.build(keyPrefix, digest);
      await merge({ epochKey }, { epoch, lifeSeconds: tokenEpochKey.ttlSeconds });
    },
  };
}

export type RevocationState = "active" | "revoked" | "unavailable";
export type Revocation = ReturnType<typeof createRevocation>;

/** An epoch that cannot be parsed counts as the highest: its tokens are invalid. */
function epochOf(stored: string | null): number {
  if (stored === null) return 0;
  const epoch = Number(stored);
  return Number.isFinite(epoch) ? epoch : Number.POSITIVE_INFINITY;
}

type Read<Value> = Value | undefined;

/** A single result is enough for `revoked`; `active` needs all of them. */
function stateOf(isDenied: Read<boolean>, epochs: readonly Read<number>[], epoch: number): RevocationState {
  if (isDenied === true || epochs.some((current) => current !== undefined && epoch < current)) return "revoked";
  return isDenied === undefined || epochs.includes(undefined) ? "unavailable" : "active";
}

const isKnown = (value: number | Promise<Read<number>>): value is number => typeof value === "number";

/**
 * Denylist and epochs in Redis. Within `ttlMs`, a token is looked up in the denylist once, and a subject's epoch is read once for all of
 * its tokens. From half that time on both are refreshed in the background, so that tokens in steady use never wait. If Redis is unavailable
 * or slow, the result is `unavailable`, never `active`. `ttlMs` is the longest time that a revoked token is still accepted; `onError` is
 * called for the first of consecutive failures.
 */
export function createRevocation(
  redis: Pick<RedisClient, "get">,
  keyPrefix: string,
  options: Omit<RecentReadsOptions<unknown>, "read">,
) {
  let isFailing = false;
  const get = async (key: string): Promise<string | null> => {
    const value = await redis.get(key);
    isFailing = false;
    return value;
  };
  const reads = {
    ...options,
    onError: (error: unknown): void => {
      if (!isFailing) options.onError(error);
      isFailing = true;
    },
  };
  const denials = createRecentReads({
    ...reads,
    read: async (id) => (await get(deniedTokenKey.build(keyPrefix, id))) !== null,
  });
  const epochs = createRecentReads({
    ...reads,
    read: async (digest) => epochOf(await get(tokenEpochKey.build(keyPrefix, digest))),
  });
  return {
    /** Whether the token was revoked before it expired. Synchronous if a recent result is still valid. Never rejects. */
    check: ({ id, subjectDigest, kindDigest, epoch }: RevocationFacts): RevocationState | Promise<RevocationState> => {
      const isDenied = denials.at(id);
      // The epoch without a kind was written by earlier versions, which may still raise it.
      const current = [epochs.at(subjectDigest), ...(kindDigest === undefined ? [] : [epochs.at(kindDigest)])];
      if (typeof isDenied === "boolean" && current.every(isKnown)) return stateOf(isDenied, current, epoch);
      return Promise.all([isDenied, ...current]).then(([denied, ...known]) => stateOf(denied, known, epoch));
    },
  };
}
