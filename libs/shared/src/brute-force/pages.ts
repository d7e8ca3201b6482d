import type { RedisClient } from "../redis/client.ts";
import { defineScript, type RunScript } from "../redis/script.ts";
import { shards } from "./shards.ts";

/** Where the next page of a sharded index begins. Opaque to callers; it comes back as it was given. */
export interface IndexPage {
  readonly members: readonly string[];
  /** Absent after the last page. */
  readonly next: string | undefined;
}

interface Position {
  readonly shard: number;
  readonly after: { readonly score: string; readonly member: string } | undefined;
}

function parsePosition(cursor: string | undefined): Position {
  const match = /^(\d{1,2}):(?:([\d.e+-]+):(.*))?$/su.exec(cursor ?? "0:");
  if (match === null) throw new RangeError("no cursor of this list");
  const [, shard = "0", score, member] = match;
  return {
    shard: Number(shard),
    after: score === undefined || member === undefined ? undefined : { score, member },
  };
}

/**
 * A page of one shard, in the order of score and name. A place is a member and its score, so that what comes and goes
 * between two pages moves nothing. KEYS: the shard; ARGV: score and member of the place (or the least score and
 * nothing), how many.
 */
const pageLua = `
local rank = ARGV[2] ~= "" and redis.call("ZRANK", KEYS[1], ARGV[2])
local start
if rank then
  start = rank + 1
else
  start = redis.call("ZCOUNT", KEYS[1], "-inf", "(" .. ARGV[1])
  while ARGV[2] ~= "" do
    local one = redis.call("ZRANGE", KEYS[1], start, start, "WITHSCORES")
    if not one[1] or tonumber(one[2]) > tonumber(ARGV[1]) or one[1] > ARGV[2] then break end
    start = start + 1
  end
end
return redis.call("ZRANGE", KEYS[1], start, start + tonumber(ARGV[3]) - 1, "WITHSCORES")
`;

async function readShard(
  run: RunScript,
  key: string,
  { after, least, size }: { after: Position["after"]; least: number; size: number },
): Promise<readonly string[]> {
  const found = await run([key], [after?.score ?? least, after?.member ?? "", size]);
  return Array.isArray(found) ? found.map(String) : [];
}

export interface PageRequest {
  readonly cursor: string | undefined;
  readonly size: number;
  /** Members below are over. */
  readonly leastScore: number;
}

/** @throws RangeError for a cursor that no page gave. */
export type ReadIndexPage = (keyOf: (shard: string) => string, page: PageRequest) => Promise<IndexPage>;

export function createIndexReader(redis: RedisClient): ReadIndexPage {
  const run = defineScript(redis, { name: "bfReadPage", lua: pageLua, numberOfKeys: 1 });
  return async (keyOf, { cursor, size, leastScore }) => {
    let { shard, after } = parsePosition(cursor);
    const members: string[] = [];
    for (; shard < shards.length; shard += 1) {
      const wanted = size - members.length;
      const found = await readShard(run, keyOf(shards[shard] ?? ""), { after, least: leastScore, size: wanted });
      for (let index = 0; index < found.length; index += 2) members.push(found[index] ?? "");
      if (members.length >= size) return { members, next: `${shard}:${found.at(-1)}:${found.at(-2)}` };
      after = undefined;
    }
    return { members, next: undefined };
  };
}
