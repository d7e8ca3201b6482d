import { createSecretKey } from "node:crypto";
import type { Config } from "@postern/shared/platform/config";
import { createKeyedDigest } from "@postern/shared/platform/crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { DomainCounts } from "./domain-counts.ts";
import { createDomainCountStore } from "./domain-counts-redis.ts";

/** @param redis of the role `state`. */
export function createDomainCounts({ storage }: Config, redis: RedisClient, engineId: string): DomainCounts {
  const { prefix, password_nonce: nonce } = storage.redis;
  const digest = createKeyedDigest(createSecretKey(Buffer.from(`domain-accounts\0${nonce}`)));
  return new DomainCounts(createDomainCountStore(redis, prefix, engineId, digest), systemClock);
}
