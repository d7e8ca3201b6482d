import type { RedisClient } from "../../platform/redis/client.ts";
import { pairsIn } from "../../platform/redis/pairs.ts";
import { defineScript } from "../../platform/redis/script.ts";
import readIndexPageLua from "./scripts/read-index-page.lua?raw";
import { shards } from "./shards.ts";

/** A place in one shard of an index. */
export interface Place {
  readonly score: string;
  readonly member: string;
}

/** The members and scores that a script returned in turn. */
export function placesIn(reply: unknown): readonly Place[] {
  return pairsIn(Array.isArray(reply) ? reply.map(String) : []).map(([member, score]) => ({ member, score }));
}

/** Reads one shard after a place. Members below `minScore` have expired. */
export function createShardReader(redis: RedisClient) {
  const run = defineScript(redis, {
    name: "readIndexPage",
    lua: readIndexPageLua,
    keys: ["shardKey"],
    args: ["afterScore", "afterMember", "maxMembers"],
  });
  return async (shardKey: string, after: Place | undefined, minScore: number, size: number) =>
    placesIn(
      await run(
        { shardKey },
        { afterScore: after?.score ?? minScore, afterMember: after?.member ?? "", maxMembers: size },
      ),
    );
}

function parsePosition(cursor: string | undefined) {
  const match = /^(\d{1,2}):(?:([\d.e+-]+):(.*))?$/su.exec(cursor ?? "0:");
  if (match === null) throw new RangeError("invalid cursor: it does not belong to this list");
  const [, shard = "0", score, member] = match;
  return {
    shard: Number(shard),
    after: score === undefined || member === undefined ? undefined : { score, member },
  };
}

/** A part of a list. `cursor` is `next` of the part before it; absent for the first one. */
export interface PageRequest {
  readonly cursor?: string | undefined;
  readonly size: number;
}

/** Reads pages of a sharded index. `next` is opaque to callers, and undefined after the last page. */
export function createIndexReader(redis: RedisClient) {
  const readShard = createShardReader(redis);
  /** @throws RangeError for a cursor that no page returned. */
  return async (keyOf: (shard: string) => string, { cursor, size }: PageRequest, leastScore: number) => {
    let { shard, after } = parsePosition(cursor);
    const members: string[] = [];
    // One shard mostly fills a page. While pages stay short, the number of shards read in parallel doubles.
    for (let atOnce = 1; shard < shards.length; atOnce *= 2) {
      const wanted = size - members.length;
      const batch = shards.slice(shard, shard + atOnce);
      const first = after;
      const pages = await Promise.all(
        batch.map((name, index) => readShard(keyOf(name), index === 0 ? first : undefined, leastScore, wanted)),
      );
      for (const page of pages) {
        const taken = page.slice(0, size - members.length);
        for (const { member } of taken) members.push(member);
        const last = taken.at(-1);
        if (members.length >= size && last !== undefined) {
          return { members, next: `${shard}:${last.score}:${last.member}` };
        }
        shard += 1;
      }
      after = undefined;
    }
    return { members, next: undefined };
  };
}
