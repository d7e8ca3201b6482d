import { createHash } from "node:crypto";
import type { RedisClient } from "../../redis/client.ts";
import { scriptCacheKey, scriptCacheLongestSeconds } from "../../redis/keys/scripts.ts";
import type { LuaValue } from "../lua-value.ts";
import { textArgument } from "./arguments.ts";
import type { HostFunctions } from "./host.ts";

const maxValueBytes = 65_536;

function secondsOf(value: LuaValue): number {
  if (value === undefined) return 300;
  if (typeof value !== "number" || !(value >= 1)) throw new TypeError("seconds must be a number of at least 1");
  return Math.min(Math.floor(value), scriptCacheLongestSeconds);
}

/** What stands for a key of a script in Redis: a key may name a user or an address, which no key's name does. */
export function scriptCacheDigest(key: string): string {
  return createHash("sha256").update(key).digest("base64url");
}

/** `cache`: small values for a time, shared by all replicas, in a key space of their own. */
export function cacheModule(redis: RedisClient, prefix: string): HostFunctions {
  const keyOf = (value: LuaValue): string =>
    scriptCacheKey.build(prefix, scriptCacheDigest(textArgument(value, "key")));
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
      // The life begins with the first count: both in one transaction, so that none stays for ever.
      const answers = await redis.multi().incr(name).expire(name, life, "NX").exec();
      const count = answers?.[0]?.[1];
      if (typeof count !== "number") throw new Error("no number is stored there");
      return count;
    },
  };
}
