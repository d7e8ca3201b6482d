import type { RedisClient } from "../redis/client.ts";
import { accountAddressesKey, accountIndexKey } from "../redis/keys/brute-force.ts";
import { defineScript } from "../redis/script.ts";
import { shardOf } from "./shards.ts";
import { userPart } from "./source.ts";

/** KEYS: a set by time; ARGV: member, most members, life (s). */
const touchLua = `
local now = tonumber(redis.call("TIME")[1])
redis.call("ZADD", KEYS[1], now, ARGV[1])
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now - tonumber(ARGV[3]))
local over = redis.call("ZCARD", KEYS[1]) - tonumber(ARGV[2])
if over > 0 then redis.call("ZREMRANGEBYRANK", KEYS[1], 0, over - 1) end
redis.call("EXPIRE", KEYS[1], ARGV[3])
return 1
`;

const maxAddresses = 1000;
const maxAccountsPerShard = 100_000;

/** Remembers that a known account was guessed from an address: so that a flush by account finds its addresses. */
export function createGuessedAccounts(
  redis: RedisClient,
  prefix: string,
): (username: string, address: string) => Promise<void> {
  const touch = defineScript(redis, { name: "bfTouch", lua: touchLua, numberOfKeys: 1 });
  return async (username, address) => {
    const user = userPart(username);
    await Promise.all([
      touch([accountAddressesKey.build(prefix, user)], [address, maxAddresses, accountAddressesKey.ttlSeconds]),
      touch([accountIndexKey.build(prefix, shardOf(user))], [user, maxAccountsPerShard, accountIndexKey.ttlSeconds]),
    ]);
  };
}
