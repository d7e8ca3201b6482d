import type { RedisClient } from "../../platform/redis/client.ts";
import { decidedInRedis } from "../../platform/redis/decided.ts";
import { suspensionsKey } from "../../platform/redis/keys/general.ts";
import { defineScript } from "../../platform/redis/script.ts";
import writeSuspensionLua from "./scripts/write-suspension.lua?raw";
import type { SuspensionWrite } from "./suspension.ts";

const writeSuspension = {
  name: "writeSuspension",
  lua: writeSuspensionLua,
  keys: ["suspensionsKey"],
  args: ["writes", "maxAccounts", "maxResumed", "onlyIfAbsent", "keepsThoseOfSite", "region", "onlyIfNewer"],
} as const;

/** Every process keeps all of them in memory. More accounts are a matter for the directory. */
const maxAccounts = 10_000;
/** Accounts that are resumed within a day. */
const maxResumed = 20_000;

export const decidedOfSuspensions = decidedInRedis("suspended accounts cannot be read or written");

/** Values that a write leaves as they are. */
export interface KeptSuspensions {
  readonly onlyIfAbsent?: boolean;
  readonly keepsThoseOfSite?: boolean;
  readonly onlyIfNewer?: boolean;
  /** Each value gets a revision of this region. */
  readonly region?: string | undefined;
}

/** @returns a function that writes the state of accounts, and returns those that were written. It throws AppError REDIS_UNAVAILABLE. */
export function createWriteSuspension(redis: RedisClient, keyPrefix: string) {
  const write = defineScript(redis, writeSuspension);
  const key = suspensionsKey.build(keyPrefix);
  return async (writes: readonly SuspensionWrite[], kept: KeptSuspensions): Promise<readonly string[]> => {
    const args = {
      writes: JSON.stringify(writes),
      maxAccounts,
      maxResumed,
      onlyIfAbsent: kept.onlyIfAbsent === true ? 1 : 0,
      keepsThoseOfSite: kept.keepsThoseOfSite === true ? 1 : 0,
      region: kept.region ?? "",
      onlyIfNewer: kept.onlyIfNewer === true ? 1 : 0,
    };
    const reply = await decidedOfSuspensions(() => write({ suspensionsKey: key }, args));
    return Array.isArray(reply) ? reply.map(String) : [];
  };
}
