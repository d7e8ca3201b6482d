import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import type { Places } from "../risk/places.ts";
import { Origins } from "./origins.ts";
import { createOriginStore } from "./origins-redis.ts";

/**
 * Undefined without files that say where addresses are.
 * @param redis of the role `state`.
 */
export function createOrigins(
  { storage }: Config,
  places: Places | undefined,
  redis: RedisClient,
  engineId: string,
): Origins | undefined {
  if (places?.isConfigured !== true) return undefined;
  return new Origins(createOriginStore(redis, storage.redis.prefix, engineId), places, systemClock);
}
