import type { HealthCheck } from "../lifecycle/health.ts";
import type { RedisClient, RedisRole } from "./client.ts";
import { probeKey } from "./keys.ts";

export interface RedisHealthOptions {
  readonly client: RedisClient;
  readonly role: RedisRole;
  readonly required: boolean;
  readonly keyPrefix: string;
  readonly service: string;
  readonly instance: string;
}

/** Redis is healthy if it accepts a write. */
export function redisHealth({ client, role, required, keyPrefix, service, instance }: RedisHealthOptions): HealthCheck {
  const key = probeKey.build(keyPrefix, service, instance);
  return {
    name: `redis_${role}`,
    required,
    check: async () => void (await client.set(key, "1", "EX", probeKey.ttlSeconds)),
  };
}
