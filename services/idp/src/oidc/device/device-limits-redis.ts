import { addressKey } from "@postern/shared/platform/net";
import {
  decidedInRedis,
  defineScript,
  oidcGuessKey,
  oidcPollKey,
  type RedisClient,
} from "@postern/shared/platform/redis";
import { createWindowCount } from "../../redis/count-in-window.ts";
import { digestOfId } from "../storage/models.ts";
import pollDeviceCodeLua from "./scripts/poll-device-code.lua?raw";

/** Within ten minutes: enough for a user who mistypes, and for an office behind one address. */
const guessesOfBrowser = 10;
const guessesOfAddress = 50;
const ipv6Network = 64;

const pollLifeSeconds = 3600;

const decided = decidedInRedis("attempts with device codes cannot be counted");

/** Slows down devices that poll too often and browsers that guess user codes. */
export function createDeviceLimits(redis: RedisClient, keyPrefix: string, intervalSeconds: () => number) {
  const poll = defineScript(redis, {
    name: "pollDeviceCode",
    lua: pollDeviceCodeLua,
    keys: ["pollKey"],
    args: ["intervalSeconds", "lifeSeconds"],
  });
  const count = createWindowCount(redis);
  const counted = (who: string): Promise<number> =>
    decided(() => count(oidcGuessKey.build(keyPrefix, digestOfId(who)), oidcGuessKey.ttlSeconds));
  return {
    /** Counts an entered user code for the browser and the address (RFC 8628 §5.1). @returns whether it may be checked */
    mayGuess: async (browser: string, address: string): Promise<boolean> => {
      const [byBrowser, byAddress] = await Promise.all([
        counted(`browser ${browser}`),
        counted(`address ${addressKey(address, ipv6Network)}`),
      ]);
      return byBrowser <= guessesOfBrowser && byAddress <= guessesOfAddress;
    },
    /** Whether the device may poll now; polling too early lengthens its interval by five seconds (RFC 8628 §3.5). */
    mayPoll: async (deviceCode: string): Promise<boolean> => {
      const keys = { pollKey: oidcPollKey.build(keyPrefix, digestOfId(deviceCode)) };
      const args = { intervalSeconds: intervalSeconds(), lifeSeconds: pollLifeSeconds };
      return (await decided(() => poll(keys, args))) === 1;
    },
  };
}
