import type { OwnRegion } from "../domain/brute-force/index.ts";
import type { Config } from "../platform/config/index.ts";
import type { RedisClient } from "../platform/redis/client.ts";
import { regionLogFromConfig, regionsFromConfig } from "./regions-from-config.ts";

/** This region and its log; undefined if no regions are configured. @param redis the client of the role `state` */
export function ownRegionFromConfig(config: Config, redis: RedisClient): OwnRegion | undefined {
  const name = regionsFromConfig(config)?.name;
  const log = regionLogFromConfig(config, redis);
  return name === undefined || log === undefined ? undefined : { name, log };
}
