import { digestOf } from "@postern/shared/crypto";
import { defineScript, knownDevicesKey, type RedisClient } from "@postern/shared/redis";
import type { Clock } from "@postern/shared/time";
import type { KnownDevices } from "./known-devices.ts";

const maxDevices = 32;

/** KEYS: devices. ARGV: device, now in seconds, most, life in seconds. */
const noteScript = `
local added = redis.call("ZADD", KEYS[1], ARGV[2], ARGV[1])
redis.call("ZREMRANGEBYRANK", KEYS[1], 0, -1 - tonumber(ARGV[3]))
redis.call("EXPIRE", KEYS[1], ARGV[4])
return added
`;

const digest = (text: string): string => digestOf(text).toString("base64url");

export function createKnownDevices(deps: {
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly clock: Clock;
}): KnownDevices {
  const { redis, prefix, clock } = deps;
  const note = defineScript(redis, { name: "posternKnownDevice", lua: noteScript, numberOfKeys: 1 });
  return {
    isNew: async (account, deviceToken) => {
      const key = knownDevicesKey.build(prefix, digest(account));
      const device = digest(JSON.stringify([deviceToken, account]));
      const added = await note([key], [device, Math.floor(clock.now() / 1000), maxDevices, knownDevicesKey.ttlSeconds]);
      return added === 1;
    },
  };
}
