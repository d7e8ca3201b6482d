import type { RedisClient } from "../redis/client.ts";
import { deniedTokenKey, tokenEpochKey } from "../redis/keys.ts";
import type { Clock } from "../time/clock.ts";
import { subjectDigest } from "./subject-digest.ts";

/**
 * The epoch never falls: when Redis has forgotten it, the clock is above every earlier value, so that no token of
 * before comes back to life at the next revocation.
 */
const raiseEpoch = `
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local epoch = math.max(now, (tonumber(redis.call("GET", KEYS[1]) or "0") or 0) + 1)
redis.call("SET", KEYS[1], string.format("%.0f", epoch), "EX", ARGV[1])
return string.format("%.0f", epoch)
`;

const longestSkewSeconds = 60;

/** Kills tokens before they expire. Rejects when Redis did not take it: then nothing was revoked. */
export interface Revoker {
  /** One token, or a family, until it would have expired. */
  deny(id: string, expiresAtMs: number): Promise<void>;
  /** Everything of a subject that was made so far. */
  denySubject(issuer: string, subject: string): Promise<void>;
  /** What a new token of this subject carries as `epoch`. */
  epochOf(issuer: string, subject: string): Promise<number>;
}

export interface RevokerDeps {
  readonly redis: Pick<RedisClient, "get" | "set" | "eval">;
  readonly prefix: string;
  readonly clock: Clock;
}

export function createRevoker({ redis, prefix, clock }: RevokerDeps): Revoker {
  const epochKey = (issuer: string, subject: string): string =>
    tokenEpochKey.build(prefix, subjectDigest(issuer, subject));
  return {
    deny: async (id, expiresAtMs) => {
      // A verifier grants some seconds beyond the expiry.
      const seconds = Math.ceil((expiresAtMs - clock.now()) / 1000) + longestSkewSeconds;
      if (seconds <= 0) return;
      await redis.set(deniedTokenKey.build(prefix, id), "1", "EX", Math.min(seconds, deniedTokenKey.ttlSeconds));
    },
    denySubject: async (issuer, subject) => {
      await redis.eval(raiseEpoch, 1, epochKey(issuer, subject), tokenEpochKey.ttlSeconds);
    },
    epochOf: async (issuer, subject) => Number((await redis.get(epochKey(issuer, subject))) ?? 0),
  };
}
