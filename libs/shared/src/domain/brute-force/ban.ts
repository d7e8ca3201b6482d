import type { RedisClient } from "../../platform/redis/client.ts";
import { banIndexKey } from "../../platform/redis/keys/brute-force.ts";
import { defineScript } from "../../platform/redis/script.ts";
import indexBanLua from "./scripts/index-ban.lua?raw";
import { shardOf } from "./shards.ts";

/** A banned network. Times in epoch milliseconds. */
export interface Ban {
  readonly rule: string;
  readonly network: string;
  readonly bannedAtMs: number;
  readonly expiresAtMs: number;
}

/** The value of a ban key, as the counting script writes it: `bannedAt expiresAt network rule`. */
export function parseBan(value: string): Ban | undefined {
  const match = /^(\d+) (\d+) (\S+) (.+)$/su.exec(value);
  if (match === null) return undefined;
  const [, bannedAt = "", expiresAt = "", network = "", rule = ""] = match;
  return { rule, network, bannedAtMs: Number(bannedAt), expiresAtMs: Number(expiresAt) };
}

export function bansIn(values: readonly (string | null)[]): readonly Ban[] {
  return values.flatMap((value) => (value === null ? [] : (parseBan(value) ?? [])));
}

/** All shards together list four million bans. */
const maxPerShard = 250_000;

/** Adds a ban to the index that lists read. The index is in another slot than the ban; adding a ban twice does no harm. */
export function createBanIndex(redis: RedisClient, keyPrefix: string) {
  const add = defineScript(redis, {
    name: "indexBan",
    lua: indexBanLua,
    keys: ["shardKey"],
    args: ["endSeconds", "banKey", "maxBans"],
  });
  return async (key: string, { expiresAtMs }: Ban): Promise<void> => {
    await add(
      { shardKey: banIndexKey.build(keyPrefix, shardOf(key)) },
      { endSeconds: Math.ceil(expiresAtMs / 1000), banKey: key, maxBans: maxPerShard },
    );
  };
}
