import { defineScript, failureBudgetKey, type RedisClient } from "@postern/shared/redis";
import type { TakeShared } from "./budget-booking.ts";

/**
 * KEYS[1] the address's bucket: the time (µs) at which it is full; ARGV: interval, depth (µs), longest TTL (ms).
 * Time is Redis's own, so that gateways with different clocks share one bucket; a value beyond an empty bucket's, left
 * by a clock that was set back, counts as an empty bucket.
 */
const takeLua = `
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local interval, depth = tonumber(ARGV[1]), tonumber(ARGV[2])
local debt = math.min(depth, math.max(0, tonumber(redis.call("GET", KEYS[1]) or "0") - now))
if debt + interval > depth then return {0, debt} end
debt = debt + interval
redis.call("SET", KEYS[1], string.format("%.0f", now + debt), "PX", math.min(tonumber(ARGV[3]), math.ceil(debt / 1000)))
return {1, debt}
`;

function isTake(reply: unknown): reply is readonly [number, number] {
  return Array.isArray(reply) && reply.length === 2 && reply.every((item) => typeof item === "number");
}

export function createSharedBuckets(client: RedisClient, prefix: string): TakeShared {
  const run = defineScript(client, { name: "takeFailureToken", lua: takeLua, numberOfKeys: 1 });
  const longestTtlMs = failureBudgetKey.ttlSeconds * 1000;
  return async (addressKey, { intervalUs, depthUs }) => {
    const reply = await run([failureBudgetKey.build(prefix, addressKey)], [intervalUs, depthUs, longestTtlMs]);
    if (!isTake(reply)) throw new TypeError("the failure budget's script answered something else");
    return { granted: reply[0] === 1, debtUs: reply[1] };
  };
}
