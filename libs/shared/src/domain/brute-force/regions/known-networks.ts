import type { RedisClient } from "../../../platform/redis/client.ts";
import { pairsIn } from "../../../platform/redis/pairs.ts";
import { defineScript } from "../../../platform/redis/script.ts";
import { accountWideKeys } from "../source.ts";
import mergeKnownNetworksLua from "./scripts/merge-known-networks.lua?raw";

const maxNetworks = 32;
/** What one reading contains: each new network is followed by another reading. */
const maxRead = 8;
/** Not a network: when the failures of the account expire, in milliseconds. */
const untilMember = "until";

/** A network from which an account signed in, and the seconds since then. */
export type SeenFrom = readonly [network: string, ageSeconds: number];

/** The networks that an account knows, for other regions. */
export function createKnownNetworks(redis: RedisClient, keyPrefix: string) {
  const merge = defineScript(redis, {
    name: "mergeKnownNetworks",
    lua: mergeKnownNetworksLua,
    keys: ["knownKey"],
    args: ["knownSeconds", "maxNetworks", "networks"],
  });
  const keyOf = (account: string): string => accountWideKeys(keyPrefix, account).known;
  return {
    /** Newest first. */
    read: async (account: string, nowSeconds: number): Promise<readonly SeenFrom[]> => {
      const found = await redis.zrevrange(keyOf(account), 0, maxRead, "WITHSCORES");
      const networks = pairsIn(found).filter(([network]) => network !== untilMember);
      const ageOf = (seen: string): number => Math.max(0, Math.floor(nowSeconds - Number(seen)));
      return networks.slice(0, maxRead).map(([network, seen]) => [network, ageOf(seen)]);
    },
    merge: async (account: string, networks: readonly SeenFrom[], knownSeconds: number): Promise<void> => {
      await merge({ knownKey: keyOf(account) }, { knownSeconds, maxNetworks, networks: JSON.stringify(networks) });
    },
  };
}

export type KnownNetworks = ReturnType<typeof createKnownNetworks>;
