import type { RedisClient } from "../../platform/redis/client.ts";
import { banIndexKey } from "../../platform/redis/keys/brute-force.ts";
import { defineScript } from "../../platform/redis/script.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { type Ban, parseBan } from "./ban.ts";
import { createShardReader } from "./pages.ts";
import { readValues } from "./read-values.ts";
import readIndexPageBackLua from "./scripts/read-index-page-back.lua?raw";
import { shards } from "./shards.ts";

const readIndexPageBack = {
  name: "readIndexPageBack",
  lua: readIndexPageBackLua,
  keys: ["shardKey"],
  args: ["beforeScore", "beforeMember", "leastScore", "maxMembers"],
} as const;

export interface BansByEndQuery {
  readonly order: "asc" | "desc";
  readonly size: number;
  /** Only bans by this rule. */
  readonly rule: string | undefined;
  readonly cursor: string | undefined;
}

export interface BansByEndPage {
  readonly bans: readonly Ban[];
  /** Number of bans in force. */
  readonly total: number;
  /** Undefined after the last page. */
  readonly next: string | undefined;
}

/** @throws RangeError for a cursor that no page returned */
export type ListBansByEnd = (query: BansByEndQuery) => Promise<BansByEndPage>;

interface Place {
  readonly score: string;
  readonly member: string;
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

function placesIn(reply: unknown): readonly Place[] {
  const texts = Array.isArray(reply) ? reply.map(String) : [];
  return Array.from({ length: texts.length / 2 }, (_, index) => ({
    member: texts[2 * index] ?? "",
    score: texts[2 * index + 1] ?? "",
  }));
}

/** Sorts by score and, as Redis does, by the bytes of the name. */
function compare(a: Place, b: Place): number {
  return Number(a.score) - Number(b.score) || Buffer.compare(Buffer.from(a.member), Buffer.from(b.member));
}

/** Lists bans in the order of their ends, merged from all shards of the index. */
export function createBansByEnd(redis: RedisClient, keyPrefix: string, clock: Clock): ListBansByEnd {
  const readForward = createShardReader(redis);
  const runBack = defineScript(redis, readIndexPageBack);
  const keys = shards.map((shard) => banIndexKey.build(keyPrefix, shard));
  const readShard = async (key: string, { order, size }: BansByEndQuery, place: Place | undefined) => {
    const minScore = Math.floor(clock.now() / 1000);
    if (order === "asc") return readForward(key, { after: place, minScore, size });
    const [beforeScore, beforeMember] = [place?.score ?? "", place?.member ?? ""];
    return placesIn(
      await runBack({ shardKey: key }, { beforeScore, beforeMember, leastScore: minScore, maxMembers: size }),
    );
  };
  const readPage = async (query: BansByEndQuery, place: Place | undefined): Promise<readonly Place[]> => {
    const found = await Promise.all(keys.map((key) => readShard(key, query, place)));
    const sign = query.order === "asc" ? 1 : -1;
    return found
      .flat()
      .toSorted((a, b) => sign * compare(a, b))
      .slice(0, query.size);
  };
  return async (query) => {
    const leastScore = Math.floor(clock.now() / 1000);
    const counts = await Promise.all(keys.map((key) => redis.zcount(key, leastScore, "+inf")));
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
    const bans = values.flat().flatMap((value) => (value === null ? [] : (parseBan(value) ?? [])));
    const next = isOver || place === undefined ? undefined : `${place.score}:${place.member}`;
    return { bans, total: counts.reduce((sum, count) => sum + count, 0), next };
  };
}
