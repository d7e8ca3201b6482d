import type { RedisClient } from "../redis/client.ts";
import { defineScript, type RunScript } from "../redis/script.ts";
import { shards } from "./shards.ts";

/** Where the next page of a sharded index begins. Opaque to callers; it comes back as it was given. */
export interface IndexPage {
  readonly members: readonly string[];
  /** Absent after the last page. */
  readonly next: string | undefined;
}

interface Place {
  readonly score: string;
  readonly member: string;
}

interface Position {
  readonly shard: number;
  readonly after: Place | undefined;
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
 * between two pages moves nothing. Where the member is gone its place is searched among those of its score, by halves:
 * thousands may end in one second. Names are compared by bytes, as Redis sorts them; Lua would ask the locale.
 * KEYS: the shard; ARGV: score and member of the place (or the least score and nothing), how many.
 */
const pageLua = `
local function isAfter(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x > y end
  end
  return #a > #b
end
local rank = ARGV[2] ~= "" and redis.call("ZRANK", KEYS[1], ARGV[2])
local start
if rank then
  start = rank + 1
else
  start = redis.call("ZCOUNT", KEYS[1], "-inf", "(" .. ARGV[1])
  if ARGV[2] ~= "" then
    local beyond = redis.call("ZCOUNT", KEYS[1], "-inf", ARGV[1])
    while start < beyond do
      local middle = math.floor((start + beyond) / 2)
      if isAfter(redis.call("ZRANGE", KEYS[1], middle, middle)[1], ARGV[2]) then
        beyond = middle
      else
        start = middle + 1
      end
    end
  end
end
return redis.call("ZRANGE", KEYS[1], start, start + tonumber(ARGV[3]) - 1, "WITHSCORES")
`;

async function readShard(
  run: RunScript,
  key: string,
  { after, least, size }: { after: Place | undefined; least: number; size: number },
): Promise<readonly Place[]> {
  const found = await run([key], [after?.score ?? least, after?.member ?? "", size]);
  const texts = Array.isArray(found) ? found.map(String) : [];
  const places: Place[] = [];
  for (let index = 1; index < texts.length; index += 2) {
    places.push({ member: texts[index - 1] ?? "", score: texts[index] ?? "" });
  }
  return places;
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
    // One shard mostly fills a page; where little is listed twice as many are read at once each time.
    for (let atOnce = 1; shard < shards.length; atOnce *= 2) {
      const wanted = size - members.length;
      const asked = shards.slice(shard, shard + atOnce);
      const least = leastScore;
      const pages = await Promise.all(
        asked.map((name, index) =>
          readShard(run, keyOf(name), { after: index === 0 ? after : undefined, least, size: wanted }),
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
