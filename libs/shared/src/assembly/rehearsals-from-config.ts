import { createRehearsals, type Rehearsals } from "../domain/rehearsals/index.ts";
import type { Config } from "../platform/config/index.ts";
import type { RedisClient } from "../platform/redis/client.ts";
import { recordsHistory } from "./history-from-config.ts";
import { keyRingFromConfig } from "./key-ring-from-config.ts";

/** Undefined while no history is recorded: there is nothing to rehearse with. */
export function rehearsalsFromConfig(config: Config, redis: RedisClient): Rehearsals | undefined {
  const keys = recordsHistory(config) ? keyRingFromConfig(config, "rehearsal") : undefined;
  return keys && createRehearsals(redis, config.storage.redis.prefix, keys);
}
