import { createHash } from "node:crypto";
import type { RedisClient } from "../../../platform/redis/client.ts";
import { scriptCacheKey, scriptCacheLongestSeconds } from "../../../platform/redis/keys/general.ts";
import type { LuaValue } from "../lua-value.ts";
import { type HostFunctions, textArgument } from "./host.ts";

const maxValueBytes = 65_536;

function secondsOf(value: LuaValue): number {
  if (value === undefined) return 300;
  if (typeof value !== "number" || !(value >= 1)) throw new TypeError("seconds must be a number of at least 1");
  return Math.min(Math.floor(value), scriptCacheLongestSeconds);
}

/**
 * Digest of a script's key for use in Redis: the key may contain a user name or address, which no Redis key contains in plain text.
 */
export function scriptCacheDigest(key: string): string {
  return createHash("sha256").update(key).digest("base64url");
}

/** `cache`: small values with a TTL, shared by all replicas, in their own key space. */
export function cacheModule(redis: RedisClient, keyPrefix: string): HostFunctions {
  const keyOf = (value: LuaValue): string =>
    scriptCacheKey.build(keyPrefix, scriptCacheDigest(textArgument(value, "key")));
  return {
    "cache.get": async ([key]) => (await redis.get(keyOf(key))) ?? undefined,
    "cache.set": async ([key, value, seconds]) => {
      const text = typeof value === "number" ? String(value) : textArgument(value, "value");
      if (Buffer.byteLength(text) > maxValueBytes) throw new RangeError("value is too large");
      await redis.set(keyOf(key), text, "EX", secondsOf(seconds));
      return true;
    },
    "cache.delete": async ([key]) => (await redis.del(keyOf(key))) > 0,
    "cache.increment": async ([key, seconds]) => {
      const name = keyOf(key);
      const life = secondsOf(seconds);
      // The TTL starts with the first count, in one transaction, so that no counter stays forever.
      const answers = await redis.multi().incr(name).expire(name, life, "NX").exec();
      const count = answers?.[0]?.[1];
      if (typeof count !== "number") throw new Error("the stored value is not a number");
      return count;
    },
  };
}
