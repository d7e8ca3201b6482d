import { createRememberedDevices, type RememberedDevices } from "../domain/remembered-devices/index.ts";
import type { Config } from "../platform/config/index.ts";
import type { RedisClient } from "../platform/redis/client.ts";
import type { Clock } from "../platform/time/clock.ts";
import { keyRingFromConfig } from "./key-ring-from-config.ts";

/** Undefined without the secret that encrypts them. */
export function rememberedDevicesFromConfig(
  config: Config,
  parts: { readonly redis: RedisClient; readonly clock: Clock },
): RememberedDevices | undefined {
  const keys = keyRingFromConfig(config, "remembered-device");
  if (keys === undefined) return undefined;
  const lifeMs = config.identity.mfa.remembered_devices.lifetime;
  return createRememberedDevices({ ...parts, keyPrefix: config.storage.redis.prefix, keys, lifeMs });
}
