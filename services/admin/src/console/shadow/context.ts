import { keyRingFromConfig } from "@postern/shared/assembly";
import { createShadowReport, type ShadowReports } from "@postern/shared/domain/shadow";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";

/** Undefined without the secret that encrypts it: then nothing is compared. */
export function createShadowReports(config: Config, redis: RedisClient): ShadowReports | undefined {
  const keys = keyRingFromConfig(config, "shadow");
  return keys && createShadowReport({ redis, keyPrefix: config.storage.redis.prefix, keys });
}
