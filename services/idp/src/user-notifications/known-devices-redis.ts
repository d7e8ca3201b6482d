import { digestOf } from "@postern/shared/platform/crypto";
import { defineScript, knownDevicesKey, type RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import noteDeviceLua from "./scripts/note-device.lua?raw";

const maxDevices = 32;

const digest = (text: string): string => digestOf(text).toString("base64url");

const deviceOf = (account: string, deviceToken: string): string => digest(JSON.stringify([deviceToken, account]));

/**
 * Browsers, identified by a cookie, separately for each account: the records do not show which accounts share a
 * browser.
 */
export function createKnownDevices(redis: RedisClient, keyPrefix: string, clock: Clock) {
  const note = defineScript(redis, {
    name: "noteDevice",
    lua: noteDeviceLua,
    keys: ["devicesKey"],
    args: ["device", "nowSeconds", "maxDevices", "lifeSeconds"],
  });
  const keyOf = (account: string): string => knownDevicesKey.build(keyPrefix, digest(account));
  return {
    /** Whether the browser has signed in to this account before. */
    knows: async (account: string, deviceToken: string): Promise<boolean> =>
      (await redis.zscore(keyOf(account), deviceOf(account, deviceToken))) !== null,
    /** Records the sign-in. @returns whether the browser is new for this account; of concurrent calls, one gets true */
    isNew: async (account: string, deviceToken: string): Promise<boolean> => {
      const device = deviceOf(account, deviceToken);
      const nowSeconds = Math.floor(clock.now() / 1000);
      const bounds = { maxDevices, lifeSeconds: knownDevicesKey.ttlSeconds };
      return (await note({ devicesKey: keyOf(account) }, { device, nowSeconds, ...bounds })) === 1;
    },
  };
}

export type KnownDevices = ReturnType<typeof createKnownDevices>;
