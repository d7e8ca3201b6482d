import { randomUUID } from "node:crypto";
import type { KeyRing } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";
import { defineScript, type RedisClient } from "@postern/shared/redis";
import type { Claimed, NoticeQueue } from "./notice-queue.ts";

/** KEYS: queue, notice. ARGV: sealed notice, id, life in seconds, delay in ms. Redis' own clock, so that replicas agree. */
const addScript = `
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call("HSET", KEYS[2], "v", ARGV[1], "a", 0)
redis.call("EXPIRE", KEYS[2], ARGV[3])
redis.call("ZADD", KEYS[1], now + tonumber(ARGV[4]), ARGV[2])
redis.call("EXPIRE", KEYS[1], ARGV[3])
return 1
`;

/** KEYS: queue. ARGV: most, lease in ms. */
const claimScript = `
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local due = redis.call("ZRANGE", KEYS[1], "-inf", now, "BYSCORE", "LIMIT", 0, ARGV[1])
for _, id in ipairs(due) do redis.call("ZADD", KEYS[1], now + tonumber(ARGV[2]), id) end
return due
`;

/** KEYS: queue, notice. ARGV: id, delay in ms. */
const retryScript = `
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if redis.call("EXISTS", KEYS[2]) == 0 then return redis.call("ZREM", KEYS[1], ARGV[1]) end
redis.call("HINCRBY", KEYS[2], "a", 1)
return redis.call("ZADD", KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
`;

/** KEYS: queue, notice. ARGV: id. */
const settleScript = `
redis.call("UNLINK", KEYS[2])
return redis.call("ZREM", KEYS[1], ARGV[1])
`;

export interface NoticeQueueDeps<Notice> {
  readonly redis: RedisClient;
  readonly keys: KeyRing;
  /** Names the scripts. */
  readonly name: string;
  /** The sorted set by due time; of the same hash tag as the notices. */
  readonly dueKey: string;
  readonly keyOf: (id: string) => string;
  readonly lifeSeconds: number;
  /** For how long a claimed notice is nobody else's. */
  readonly leaseMs: () => number;
  readonly parse: (value: unknown) => Notice | undefined;
}

function decided<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    throw new AppError("REDIS_UNAVAILABLE", { detail: "logout notices cannot be reached", cause });
  });
}

function scriptsOf(redis: RedisClient, name: string) {
  return {
    put: defineScript(redis, { name: `${name}Add`, lua: addScript, numberOfKeys: 2 }),
    take: defineScript(redis, { name: `${name}Claim`, lua: claimScript, numberOfKeys: 1 }),
    delay: defineScript(redis, { name: `${name}Retry`, lua: retryScript, numberOfKeys: 2 }),
    drop: defineScript(redis, { name: `${name}Settle`, lua: settleScript, numberOfKeys: 2 }),
  };
}

/** Sealed notices in Redis, in a sorted set by due time. */
export function createNoticeQueue<Notice>(deps: NoticeQueueDeps<Notice>): NoticeQueue<Notice> {
  const { redis, keys, name, dueKey: due, keyOf, lifeSeconds, leaseMs, parse } = deps;
  const { put, take, delay, drop } = scriptsOf(redis, name);
  const addOne = async (notice: Notice, delayMs: number): Promise<Claimed<Notice>> => {
    const id = randomUUID();
    const sealed = keys.seal(JSON.stringify(notice), keyOf(id)).toString("base64");
    await put([due, keyOf(id)], [sealed, id, lifeSeconds, delayMs]);
    return { id, notice, attempts: 0 };
  };
  const read = async (id: string): Promise<readonly Claimed<Notice>[]> => {
    const [sealed, attempts] = await redis.hmget(keyOf(id), "v", "a");
    const opened = typeof sealed === "string" ? keys.open(Buffer.from(sealed, "base64"), keyOf(id)) : undefined;
    const notice = opened === undefined ? undefined : parse(JSON.parse(opened.toString("utf8")));
    if (notice !== undefined) return [{ id, notice, attempts: Number(attempts ?? 0) }];
    // Its time is over, or no key opens it.
    await drop([due, keyOf(id)], [id]);
    return [];
  };
  return {
    add: (notices) => decided(Promise.all(notices.map((notice) => addOne(notice, 0))).then(() => undefined)),
    addClaimed: (notices) => decided(Promise.all(notices.map((notice) => addOne(notice, leaseMs())))),
    claim: (most) =>
      decided(
        take([due], [most, leaseMs()]).then(async (ids) => {
          const known = Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
          return (await Promise.all(known.map(read))).flat();
        }),
      ),
    settle: (id) => decided(drop([due, keyOf(id)], [id]).then(() => undefined)),
    retry: (id, delayMs) => decided(delay([due, keyOf(id)], [id, delayMs]).then(() => undefined)),
  };
}
