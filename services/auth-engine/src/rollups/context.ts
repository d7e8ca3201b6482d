import { createBanCount } from "@postern/shared/domain/brute-force";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { usesBruteForce } from "../brute-force/brute-force-settings.ts";
import { Rollups } from "./rollups.ts";
import { createRollupStore } from "./rollups-redis.ts";

/** @param redis of the role `state`. */
export function createRollups(config: Config, redis: RedisClient, engineId: string): Rollups {
  const { prefix } = config.storage.redis;
  const countBans = usesBruteForce(config) ? createBanCount(redis, prefix, systemClock) : undefined;
  return new Rollups(createRollupStore(redis, prefix, engineId), countBans, systemClock);
}
