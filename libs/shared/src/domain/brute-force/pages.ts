import type { RedisClient } from "../../platform/redis/client.ts";
import { defineScript } from "../../platform/redis/script.ts";
import readIndexPageLua from "./scripts/read-index-page.lua?raw";
import { shards } from "./shards.ts";

const readIndexPage = {
  name: "readIndexPage",
  lua: readIndexPageLua,
  keys: ["shardKey"],
  args: ["afterScore", "afterMember", "maxMembers"],
} as const;

/** One page of a sharded index. */
export interface IndexPage {
  readonly members: readonly string[];
  /** Where the next page begins, opaque to callers, who return it unchanged. Undefined after the last page. */
  readonly next: string | undefined;
}

interface ShardPosition {
  readonly score: string;
  readonly member: string;
}

interface Position {
  readonly shard: number;
  readonly after: ShardPosition | undefined;
}

function parsePosition(cursor: string | undefined): Position {
  const match = /^(\d{1,2}):(?:([\d.e+-]+):(.*))?$/su.exec(cursor ?? "0:");
  if (match === null) throw new RangeError("invalid cursor: it does not belong to this list");
  const [, shard = "0", score, member] = match;
  return {
    shard: Number(shard),
    after: score === undefined || member === undefined ? undefined : { score, member },
  };
}

const defineReadPage = (redis: RedisClient) => defineScript(redis, readIndexPage);

async function readShard(
  run: ReturnType<typeof defineReadPage>,
  key: string,
  { after, minScore, size }: { after: ShardPosition | undefined; minScore: number; size: number },
): Promise<readonly ShardPosition[]> {
  const found = await run(
    { shardKey: key },
    { afterScore: after?.score ?? minScore, afterMember: after?.member ?? "", maxMembers: size },
  );
  const texts = Array.isArray(found) ? found.map(String) : [];
  const places: ShardPosition[] = [];
  for (let index = 1; index < texts.length; index += 2) {
    places.push({ member: texts[index - 1] ?? "", score: texts[index] ?? "" });
  }
  return places;
}

/** Reads one shard after a place. */
export function createShardReader(redis: RedisClient) {
  const run = defineReadPage(redis);
  return (
    key: string,
    from: { readonly after: ShardPosition | undefined; readonly minScore: number; readonly size: number },
  ): Promise<readonly ShardPosition[]> => readShard(run, key, from);
}

export interface PageRequest {
  readonly cursor: string | undefined;
  readonly size: number;
  /** Members below this score have expired. */
  readonly leastScore: number;
}

/** @throws RangeError for a cursor that no page returned. */
export type ReadIndexPage = (keyOf: (shard: string) => string, page: PageRequest) => Promise<IndexPage>;

export function createIndexReader(redis: RedisClient): ReadIndexPage {
  const run = defineReadPage(redis);
  return async (keyOf, { cursor, size, leastScore }) => {
    let { shard, after } = parsePosition(cursor);
    const members: string[] = [];
    // One shard mostly fills a page. While pages stay short, the number of shards read in parallel doubles.
    for (let atOnce = 1; shard < shards.length; atOnce *= 2) {
      const wanted = size - members.length;
      const batch = shards.slice(shard, shard + atOnce);
      const minScore = leastScore;
      const pages = await Promise.all(
        batch.map((name, index) =>
          readShard(run, keyOf(name), { after: index === 0 ? after : undefined, minScore, size: wanted }),
        ),
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
