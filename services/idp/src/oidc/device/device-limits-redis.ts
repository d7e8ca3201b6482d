import { AppError } from "@postern/shared/platform/errors";
import { addressKey } from "@postern/shared/platform/net";
import { defineScript, oidcGuessKey, oidcPollKey, type RedisClient } from "@postern/shared/platform/redis";
import { createWindowCount } from "../../redis/count-in-window.ts";
import { digestOfId } from "../storage/store-redis.ts";
import pollDeviceCodeLua from "./scripts/poll-device-code.lua?raw";

/** Slows down devices that poll too often and browsers that guess user codes. */
export interface DeviceLimits {
  /** Whether the device may poll now; polling too early lengthens its interval by five seconds (RFC 8628 §3.5). */
  mayPoll(deviceCode: string): Promise<boolean>;
  /** Counts an entered user code for the browser and the address (RFC 8628 §5.1). @returns whether it may be checked */
  mayGuess(browser: string, address: string): Promise<boolean>;
}

const pollDeviceCode = {
  name: "pollDeviceCode",
  lua: pollDeviceCodeLua,
  keys: ["pollKey"],
  args: ["intervalSeconds", "lifeSeconds"],
} as const;

/** Within ten minutes: enough for a user who mistypes, and for an office behind one address. */
const guessesOfBrowser = 10;
const guessesOfAddress = 50;
const ipv6Network = 64;

const pollLifeSeconds = 3600;

function refuse(cause: unknown): never {
  throw new AppError("REDIS_UNAVAILABLE", { detail: "attempts with device codes cannot be counted", cause });
}

export function createDeviceLimits(deps: {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly intervalSeconds: () => number;
}): DeviceLimits {
  const { redis, keyPrefix, intervalSeconds } = deps;
  const poll = defineScript(redis, pollDeviceCode);
  const count = createWindowCount(redis);
  const counted = (who: string): Promise<number> =>
    count(oidcGuessKey.build(keyPrefix, digestOfId(who)), oidcGuessKey.ttlSeconds).catch(refuse);
  return {
    mayGuess: async (browser, address) => {
      const [byBrowser, byAddress] = await Promise.all([
        counted(`browser ${browser}`),
        counted(`address ${addressKey(address, ipv6Network)}`),
      ]);
      return byBrowser <= guessesOfBrowser && byAddress <= guessesOfAddress;
    },
    mayPoll: async (deviceCode) => {
      const keys = { pollKey: oidcPollKey.build(keyPrefix, digestOfId(deviceCode)) };
      const args = { intervalSeconds: intervalSeconds(), lifeSeconds: pollLifeSeconds };
      return (await poll(keys, args).catch(refuse)) === 1;
    },
  };
}
