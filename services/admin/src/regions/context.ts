import { createRegionStatuses } from "@postern/shared/domain/regions";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import { Regions } from "./regions.ts";

/** Undefined without `runtime.regions.name`. `clock`: that of Redis. */
export function createRegions({ runtime, storage }: Config, redis: RedisClient, clock: Clock): Regions | undefined {
  const { name, peers } = runtime.regions;
  if (name === "") return undefined;
  return new Regions({ name, peers, statuses: createRegionStatuses(redis, storage.redis.prefix, clock) });
}
