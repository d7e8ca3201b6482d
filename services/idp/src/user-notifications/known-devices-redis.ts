import { digestOf } from "@postern/shared/platform/crypto";
import { defineScript, knownDevicesKey, type RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import type { KnownDevices } from "./known-devices.ts";
import noteDeviceLua from "./scripts/note-device.lua?raw";

const noteDevice = {
  name: "noteDevice",
  lua: noteDeviceLua,
  keys: ["devicesKey"],
  args: ["device", "nowSeconds", "maxDevices", "lifeSeconds"],
} as const;

const maxDevices = 32;

const digest = (text: string): string => digestOf(text).toString("base64url");

const deviceOf = (account: string, deviceToken: string): string => digest(JSON.stringify([deviceToken, account]));

export function createKnownDevices(deps: {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly clock: Clock;
}): KnownDevices {
  const { redis, keyPrefix, clock } = deps;
  const note = defineScript(redis, noteDevice);
  const keyOf = (account: string): string => knownDevicesKey.build(keyPrefix, digest(account));
  return {
    knows: async (account, deviceToken) =>
      (await redis.zscore(keyOf(account), deviceOf(account, deviceToken))) !== null,
    isNew: async (account, deviceToken) => {
      const device = deviceOf(account, deviceToken);
      const nowSeconds = Math.floor(clock.now() / 1000);
      const bounds = { maxDevices, lifeSeconds: knownDevicesKey.ttlSeconds };
      return (await note({ devicesKey: keyOf(account) }, { device, nowSeconds, ...bounds })) === 1;
    },
  };
}
