import type { RedisClient } from "../../platform/redis/client.ts";
import { banIndexKey } from "../../platform/redis/keys/brute-force.ts";
import { defineScript } from "../../platform/redis/script.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { bansIn } from "./ban.ts";
import { createShardReader, type PageRequest, type Place, placesIn } from "./pages.ts";
import { readValues } from "./read-values.ts";
import readIndexPageBackLua from "./scripts/read-index-page-back.lua?raw";
import { countMembers, shards } from "./shards.ts";

interface BansByEndQuery extends PageRequest {
  readonly order: "asc" | "desc";
  /** Only bans by this rule. */
  readonly rule: string | undefined;
}

/** Entries that a request for one rule looks through; a rare rule needs several requests. */
const maxLookedThrough = 10_000;

function placeIn(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined;
  const [, score, member] = /^(\d+):(.+)$/su.exec(cursor) ?? [];
  if (score === undefined || member === undefined)
    throw new RangeError("invalid cursor: it does not belong to this list");
  return { score, member };
}

/** Sorts by score and, as Redis does, by the bytes of the name. */
function compare(a: Place, b: Place): number {
  return Number(a.score) - Number(b.score) || Buffer.compare(Buffer.from(a.member), Buffer.from(b.member));
}

/** Number of bans in force. */
export function createBanCount(redis: RedisClient, keyPrefix: string, clock: Clock): () => Promise<number> {
  const keyOf = (shard: string): string => banIndexKey.build(keyPrefix, shard);
  return () => countMembers(redis, keyOf, Math.floor(clock.now() / 1000));
}

/** Lists bans in the order of their ends, merged from all shards of the index. */
export function createBansByEnd(redis: RedisClient, keyPrefix: string, clock: Clock) {
  const readForward = createShardReader(redis);
  const runBack = defineScript(redis, {
    name: "readIndexPageBack",
    lua: readIndexPageBackLua,
    keys: ["shardKey"],
    args: ["beforeScore", "beforeMember", "leastScore", "maxMembers"],
  });
  const countBans = createBanCount(redis, keyPrefix, clock);
  const keys = shards.map((shard) => banIndexKey.build(keyPrefix, shard));
  const readShard = async (shardKey: string, { order, size }: BansByEndQuery, place: Place | undefined) => {
    const leastScore = Math.floor(clock.now() / 1000);
    if (order === "asc") return readForward(shardKey, place, leastScore, size);
    const [beforeScore, beforeMember] = [place?.score ?? "", place?.member ?? ""];
    return placesIn(await runBack({ shardKey }, { beforeScore, beforeMember, leastScore, maxMembers: size }));
  };
  const readPage = async (query: BansByEndQuery, place: Place | undefined): Promise<readonly Place[]> => {
    const found = await Promise.all(keys.map((key) => readShard(key, query, place)));
    const sign = query.order === "asc" ? 1 : -1;
    return found
      .flat()
      .toSorted((a, b) => sign * compare(a, b))
      .slice(0, query.size);
  };
  /**
   * `total`: number of bans in force. `next`: undefined after the last page.
   * @throws RangeError for a cursor that no page returned
   */
  return async (query: BansByEndQuery) => {
    const total = await countBans();
    const isMeant = ({ member }: Place): boolean => query.rule === undefined || member.includes(`:ban:${query.rule}:`);
    const wanted: Place[] = [];
    let place = placeIn(query.cursor);
    let isOver = false;
    const width = query.rule === undefined ? query.size : Math.max(query.size, 500);
    for (let seen = 0; seen < maxLookedThrough && wanted.length < query.size && !isOver; seen += width) {
      const page = await readPage({ ...query, size: width }, place);
      isOver = page.length < width;
      for (const one of page) {
        place = one;
        if (isMeant(one)) wanted.push(one);
        if (wanted.length === query.size) break;
      }
      if (wanted.length === query.size) isOver = isOver && place === page.at(-1);
    }
    const values = await readValues(
      redis,
      wanted.map(({ member }) => [member]),
    );
    const next = isOver || place === undefined ? undefined : `${place.score}:${place.member}`;
    return { bans: bansIn(values.flat()), total, next };
  };
}

export type ListBansByEnd = ReturnType<typeof createBansByEnd>;
