import { AppError } from "@postern/shared/errors";
import { addressKey } from "@postern/shared/net";
import { defineScript, oidcGuessKey, oidcPollKey, type RedisClient } from "@postern/shared/redis";
import type { DeviceBrake } from "./device-brake.ts";
import { digestOfId } from "./store-redis.ts";

/** KEYS: poll. ARGV: interval in seconds, life. A fifth of the interval is forgiven: the network's. */
const pollScript = `
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local last = redis.call("HGET", KEYS[1], "t")
local interval = tonumber(redis.call("HGET", KEYS[1], "i") or ARGV[1])
local hasty = last and now - tonumber(last) < interval * 800
if hasty then redis.call("HSET", KEYS[1], "i", interval + 5) end
redis.call("HSET", KEYS[1], "t", string.format("%.0f", now))
redis.call("EXPIRE", KEYS[1], ARGV[2])
return hasty and 0 or 1
`;

/** KEYS: guesses. ARGV: window in seconds. It begins with the first guess and does not move. */
const guessScript = `
local count = redis.call("INCR", KEYS[1])
if count == 1 then redis.call("EXPIRE", KEYS[1], ARGV[1]) end
return count
`;

/** In ten minutes: enough for whoever mistypes, and for an office behind one address. */
const guessesOfBrowser = 10;
const guessesOfAddress = 50;
const ipv6Network = 64;

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
  const guess = defineScript(redis, { name: "oidcGuess", lua: guessScript, numberOfKeys: 1 });
  const counted = async (who: string): Promise<number> =>
    Number(await guess([oidcGuessKey.build(prefix, digestOfId(who))], [oidcGuessKey.ttlSeconds]).catch(refuse));
  return {
    mayGuess: async (browser, address) => {
      const [byBrowser, byAddress] = await Promise.all([
        counted(`browser ${browser}`),
        counted(`address ${addressKey(address, ipv6Network)}`),
      ]);
      return byBrowser <= guessesOfBrowser && byAddress <= guessesOfAddress;
    },
    mayPoll: async (deviceCode) => {
      const key = oidcPollKey.build(prefix, digestOfId(deviceCode));
      return (await poll([key], [intervalSeconds(), pollLifeSeconds]).catch(refuse)) === 1;
    },
  };
}
