import { createSecretKey } from "node:crypto";
import type { AccountKind } from "@postern/shared/domain/domain-counts";
import type { Config } from "@postern/shared/platform/config";
import { createKeyedDigest } from "@postern/shared/platform/crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import type { LiveDomains } from "../domains/context.ts";
import { DomainCounts } from "./domain-counts.ts";
import { createDomainCountStore } from "./domain-counts-redis.ts";

/** @param redis of the role `state`. */
export function createDomainCounts({ storage }: Config, redis: RedisClient, engineId: string): DomainCounts {
  const { prefix, password_nonce: nonce } = storage.redis;
  const digest = createKeyedDigest(createSecretKey(Buffer.from(`domain-accounts\0${nonce}`)));
  return new DomainCounts(createDomainCountStore(redis, prefix, engineId, digest), systemClock);
}

/** Counts accounts with second factors and app passwords, when somebody needs to know what an account has. */
export function createFactorsRead(counts: Pick<DomainCounts, "hasFactors">, domains: Pick<LiveDomains, "current">) {
  return (account: string, has: readonly AccountKind[]): void =>
    counts.hasFactors(domains.current?.inMemory(account), account, has);
}
