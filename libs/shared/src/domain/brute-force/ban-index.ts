import type { RedisClient } from "../../platform/redis/client.ts";
import { banIndexKey } from "../../platform/redis/keys/brute-force.ts";
import { defineScript } from "../../platform/redis/script.ts";
import type { Ban } from "./ban.ts";
import indexBanLua from "./scripts/index-ban.lua?raw";
import { shardOf } from "./shards.ts";

const indexBan = {
  name: "indexBan",
  lua: indexBanLua,
  keys: ["shardKey"],
  args: ["endSeconds", "banKey", "maxBans"],
} as const;

/** All shards together list four million bans. */
const maxPerShard = 250_000;

/** Adds a ban to the index that lists read. The index is in another slot than the ban; adding a ban twice does no harm. */
export function createBanIndex(redis: RedisClient, keyPrefix: string): (key: string, ban: Ban) => Promise<void> {
  const add = defineScript(redis, indexBan);
  return async (key, { expiresAtMs }) => {
    await add(
      { shardKey: banIndexKey.build(keyPrefix, shardOf(key)) },
      { endSeconds: Math.ceil(expiresAtMs / 1000), banKey: key, maxBans: maxPerShard },
    );
  };
}
