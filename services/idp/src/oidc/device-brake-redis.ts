import { AppError } from "@postern/shared/errors";
import { defineScript, oidcPollKey, type RedisClient } from "@postern/shared/redis";
import type { DeviceBrake } from "./device-brake.ts";
import { digestOfId } from "./store-redis.ts";

/** KEYS: poll. ARGV: interval in seconds, life. A second of the network's is forgiven. */
const pollScript = `
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local last = redis.call("HGET", KEYS[1], "t")
local interval = tonumber(redis.call("HGET", KEYS[1], "i") or ARGV[1])
local hasty = last and now - tonumber(last) < interval * 1000 - 1000
if hasty then redis.call("HSET", KEYS[1], "i", interval + 5) end
redis.call("HSET", KEYS[1], "t", string.format("%.0f", now))
redis.call("EXPIRE", KEYS[1], ARGV[2])
return hasty and 0 or 1
`;

const pollLifeSeconds = 3600;

function refuse(cause: unknown): never {
  throw new AppError("REDIS_UNAVAILABLE", { detail: "device codes cannot be braked", cause });
}

export function createDeviceBrake(deps: {
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly intervalSeconds: () => number;
}): DeviceBrake {
  const { redis, prefix, intervalSeconds } = deps;
  const poll = defineScript(redis, { name: "oidcPoll", lua: pollScript, numberOfKeys: 1 });
  return {
    mayPoll: async (deviceCode) => {
      const key = oidcPollKey.build(prefix, digestOfId(deviceCode));
      return (await poll([key], [intervalSeconds(), pollLifeSeconds]).catch(refuse)) === 1;
    },
  };
}
