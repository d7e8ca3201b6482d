import { randomUUID } from "node:crypto";
import type { KeyRing } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";
import { defineScript, oidcNoticeKey, oidcNoticesDueKey, type RedisClient } from "@postern/shared/redis";
import { isRecord, textOf } from "./json.ts";
import { type LogoutNotice, type LogoutNotices, noticeLifeSeconds } from "./logout-notices.ts";

/** KEYS: queue, notice. ARGV: sealed notice, id, life in seconds. */
const addScript = `
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call("HSET", KEYS[2], "v", ARGV[1], "a", 0)
redis.call("EXPIRE", KEYS[2], ARGV[3])
redis.call("ZADD", KEYS[1], now, ARGV[2])
redis.call("EXPIRE", KEYS[1], ARGV[3])
return 1
`;

/** KEYS: queue. ARGV: most, lease in ms, life in seconds. Redis' own clock, so that replicas agree. */
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

function noticeOf(text: string | undefined): LogoutNotice | undefined {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isRecord(value)) return undefined;
  const [clientId, sub, sid] = [textOf(value["clientId"]), textOf(value["sub"]), textOf(value["sid"])];
  if (clientId === undefined || sub === undefined) return undefined;
  return { clientId, sub, ...(sid !== undefined && { sid }) };
}

function decided<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    throw new AppError("REDIS_UNAVAILABLE", { detail: "logout notices cannot be reached", cause });
  });
}

export function createLogoutNotices(deps: {
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly keys: KeyRing;
}): LogoutNotices {
  const { redis, prefix, keys } = deps;
  const due = oidcNoticesDueKey.build(prefix);
  const keyOf = (id: string): string => oidcNoticeKey.build(prefix, id);
  const add = defineScript(redis, { name: "oidcNoticeAdd", lua: addScript, numberOfKeys: 2 });
  const claim = defineScript(redis, { name: "oidcNoticeClaim", lua: claimScript, numberOfKeys: 1 });
  const retry = defineScript(redis, { name: "oidcNoticeRetry", lua: retryScript, numberOfKeys: 2 });
  const settle = defineScript(redis, { name: "oidcNoticeSettle", lua: settleScript, numberOfKeys: 2 });
  const addOne = (notice: LogoutNotice): Promise<unknown> => {
    const id = randomUUID();
    const sealed = keys.seal(JSON.stringify(notice), keyOf(id)).toString("base64");
    return add([due, keyOf(id)], [sealed, id, noticeLifeSeconds]);
  };
  const read = async (id: string) => {
    const [sealed, attempts] = await redis.hmget(keyOf(id), "v", "a");
    const opened = typeof sealed === "string" ? keys.open(Buffer.from(sealed, "base64"), keyOf(id)) : undefined;
    const notice = noticeOf(opened?.toString("utf8"));
    if (notice !== undefined) return [{ id, notice, attempts: Number(attempts ?? 0) }];
    // Its time is over, or no key opens it.
    await settle([due, keyOf(id)], [id]);
    return [];
  };
  return {
    add: (notices) => decided(Promise.all(notices.map(addOne)).then(() => undefined)),
    claim: (most, leaseMs) =>
      decided(
        claim([due], [most, leaseMs]).then(async (ids) => {
          const known = Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
          return (await Promise.all(known.map(read))).flat();
        }),
      ),
    settle: (id) => decided(settle([due, keyOf(id)], [id]).then(() => undefined)),
    retry: (id, delayMs) => decided(retry([due, keyOf(id)], [id, delayMs]).then(() => undefined)),
  };
}
