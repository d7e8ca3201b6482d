import type { RedisClient } from "../redis/client.ts";
import { deniedTokenKey, tokenEpochKey } from "../redis/keys.ts";
import type { Clock } from "../time/clock.ts";
import { kindDigest, subjectDigest, type TokenSubject } from "./subject-digest.ts";

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
  /** Everything of a subject that was made so far; versions before know the tokens alone that are denied by name. */
  denySubject(issuer: string, subject: TokenSubject): Promise<void>;
  /** What a new token of this subject carries as `epoch`; of a bare name where the issuer has no clients. */
  epochOf(issuer: string, subject: TokenSubject | string): Promise<number>;
}

export interface RevokerDeps {
  readonly redis: Pick<RedisClient, "get" | "set" | "eval">;
  readonly prefix: string;
  readonly clock: Clock;
}

export function createRevoker({ redis, prefix, clock }: RevokerDeps): Revoker {
  const epochKey = (digest: string): string => tokenEpochKey.build(prefix, digest);
  const epochAt = async (digest: string): Promise<number> => Number((await redis.get(epochKey(digest))) ?? 0);
  return {
    deny: async (id, expiresAtMs) => {
      // A verifier grants some seconds beyond the expiry.
      const seconds = Math.ceil((expiresAtMs - clock.now()) / 1000) + longestSkewSeconds;
      if (seconds <= 0) return;
      await redis.set(deniedTokenKey.build(prefix, id), "1", "EX", Math.min(seconds, deniedTokenKey.ttlSeconds));
    },
    denySubject: async (issuer, subject) => {
      await redis.eval(raiseEpoch, 1, epochKey(kindDigest(issuer, subject)), tokenEpochKey.ttlSeconds);
    },
    epochOf: async (issuer, subject) => {
      if (typeof subject === "string") return epochAt(subjectDigest(issuer, subject));
      const digests = [subjectDigest(issuer, subject.id), kindDigest(issuer, subject)];
      return Math.max(...(await Promise.all(digests.map(epochAt))));
    },
  };
}
