import type { RedisClient } from "../redis/client.ts";
import { banIndexKey } from "../redis/keys/brute-force.ts";
import { defineScript } from "../redis/script.ts";
import type { Ban } from "./ban.ts";
import { shardOf } from "./shards.ts";

/** KEYS: a shard; ARGV: end of the ban (s), its key, most members. Prunes what is over; lives as long as its last ban. */
const addLua = `
local now = tonumber(redis.call("TIME")[1])
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now)
redis.call("ZADD", KEYS[1], "GT", ARGV[1], ARGV[2])
local over = redis.call("ZCARD", KEYS[1]) - tonumber(ARGV[3])
if over > 0 then redis.call("ZREMRANGEBYRANK", KEYS[1], 0, over - 1) end
local last = redis.call("ZRANGE", KEYS[1], -1, -1, "WITHSCORES")[2]
if last then redis.call("EXPIREAT", KEYS[1], last) end
return 1
`;

/** All shards together list four million bans. */
const maxPerShard = 250_000;

/** Puts a ban where lists find it. Written again without harm: it lies in another slot than the ban itself. */
export function createBanIndex(redis: RedisClient, prefix: string): (key: string, ban: Ban) => Promise<void> {
  const add = defineScript(redis, { name: "bfIndexBan", lua: addLua, numberOfKeys: 1 });
  return async (key, { expiresAtMs }) => {
    await add([banIndexKey.build(prefix, shardOf(key))], [Math.ceil(expiresAtMs / 1000), key, maxPerShard]);
  };
}
