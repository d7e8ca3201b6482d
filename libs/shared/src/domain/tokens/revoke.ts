import type { RedisClient } from "../../platform/redis/client.ts";
import { deniedTokenKey, tokenEpochKey } from "../../platform/redis/keys.ts";
import { defineScript } from "../../platform/redis/script.ts";
import type { Clock } from "../../platform/time/clock.ts";
import raiseTokenEpochLua from "./scripts/raise-token-epoch.lua?raw";
import { kindDigest, subjectDigest, type TokenSubject } from "./subject-digest.ts";

const raiseTokenEpoch = {
  name: "raiseTokenEpoch",
  lua: raiseTokenEpochLua,
  keys: ["epochKey"],
  args: ["lifeSeconds"],
} as const;

const longestSkewSeconds = 60;

/** Revokes tokens before they expire. Rejects if Redis did not store it: then nothing is revoked. */
export function createRevoker(redis: RedisClient, keyPrefix: string, clock: Clock) {
  const raise = defineScript(redis, raiseTokenEpoch);
  const epochKey = (digest: string): string => tokenEpochKey.build(keyPrefix, digest);
  const epochAt = async (digest: string): Promise<number> => Number((await redis.get(epochKey(digest))) ?? 0);
  return {
    /** Revokes one token, or a family, until it would have expired. */
    deny: async (id: string, expiresAtMs: number): Promise<void> => {
      // A verifier accepts tokens some seconds beyond their expiry.
      const seconds = Math.ceil((expiresAtMs - clock.now()) / 1000) + longestSkewSeconds;
      if (seconds <= 0) return;
      await redis.set(deniedTokenKey.build(keyPrefix, id), "1", "EX", Math.min(seconds, deniedTokenKey.ttlSeconds));
    },
    /**
     * All tokens that a subject has so far; a name if the issuer has no clients. Earlier versions of the services know only tokens that are
     * denied by name.
     */
    denySubject: async (issuer: string, subject: TokenSubject | string): Promise<void> => {
      const digest = typeof subject === "string" ? subjectDigest(issuer, subject) : kindDigest(issuer, subject);
      await raise({ epochKey: epochKey(digest) }, { lifeSeconds: tokenEpochKey.ttlSeconds });
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
