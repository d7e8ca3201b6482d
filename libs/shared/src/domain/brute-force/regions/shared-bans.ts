import type { RedisClient } from "../../../platform/redis/client.ts";
import { banOriginsKey } from "../../../platform/redis/keys/brute-force.ts";
import { defineScript, readFields } from "../../../platform/redis/script.ts";
import { type Ban, parseBan } from "../ban.ts";
import type { RuleScope } from "../source.ts";
import changeSharedBanLua from "./scripts/change-shared-ban.lua?raw";

/** A ban of any region. */
export interface BanId {
  readonly id: string;
  readonly remainingMs: number;
}

interface BanChange {
  readonly add?: readonly BanId[];
  readonly remove?: readonly BanId[];
  /** Every ban that is known here. */
  readonly removesAll?: boolean;
}

/** A rule in a network, with the hash tag of its keys. */
export type TaggedScope = RuleScope & { readonly tag: string };

/** The identifier of a ban that an engine of this region wrote. */
export function ownBanId(region: string, { bannedAtMs }: Pick<Ban, "bannedAtMs">): string {
  return `${region} ${bannedAtMs}`;
}

function isBanIds(value: unknown): value is readonly BanId[] {
  return Array.isArray(value);
}

/** Changes the bans that several regions have imposed on a network. @param region the name of this one */
export function createSharedBans(redis: RedisClient, keyPrefix: string, region: string) {
  const run = defineScript(redis, {
    name: "changeSharedBan",
    lua: changeSharedBanLua,
    keys: ["banKey", "originsKey"],
    args: ["change"],
  });
  return async ({ tag, rule, network, banKey }: TaggedScope, change: BanChange) => {
    const reply = await run(
      { banKey, originsKey: banOriginsKey.build(keyPrefix, tag, rule.name, network) },
      { change: JSON.stringify({ own: region, network, rule: rule.name, ...change }) },
    );
    const { ban, removed, changed } = readFields(reply);
    const ids: unknown = JSON.parse(String(removed));
    return {
      /** The one in force. */
      ban: typeof ban === "string" ? parseBan(ban) : undefined,
      /** The removed bans that are remembered. */
      removed: isBanIds(ids) ? ids : [],
      isChanged: changed === 1,
    };
  };
}

export type SharedBans = ReturnType<typeof createSharedBans>;

/** Reads the bans of all regions that are in force in a network. @param region the name of this one */
export function createBanIds(redis: RedisClient, keyPrefix: string, region: string) {
  /** @param ban the one that engines read */
  return async ({ tag, rule, network }: TaggedScope, ban: Ban, nowMs: number): Promise<readonly BanId[]> => {
    const stored = await redis.hgetall(banOriginsKey.build(keyPrefix, tag, rule.name, network));
    const { "": merged, ...ends } = stored;
    const { bannedAtMs, expiresAtMs } = ban;
    const isOwn = merged !== `${bannedAtMs} ${expiresAtMs} ${network} ${rule.name}`;
    const own = isOwn ? { [ownBanId(region, ban)]: expiresAtMs } : {};
    return Object.entries({ ...ends, ...own })
      .map(([id, end]) => ({ id, remainingMs: Number(end) - nowMs }))
      .filter(({ remainingMs }) => remainingMs > 0);
  };
}

export type BanIds = ReturnType<typeof createBanIds>;
