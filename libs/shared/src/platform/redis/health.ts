import type { HealthCheck } from "../lifecycle/health.ts";
import type { RedisClient, RedisRole } from "./client.ts";
import { probeKey } from "./keys.ts";
import { missingCommands } from "./missing-commands.ts";

interface RedisHealthOptions {
  readonly client: RedisClient;
  readonly role: RedisRole;
  readonly required: boolean;
  readonly keyPrefix: string;
  readonly service: string;
  readonly instance: string;
  /** Commands that the service needs, checked until its user may run all of them. */
  readonly commands?: readonly string[];
}

/** Redis is healthy if it accepts a write, and if its user may run what the service needs. */
export function redisHealth({
  client,
  role,
  required,
  keyPrefix,
  service,
  instance,
  commands = [],
}: RedisHealthOptions): HealthCheck {
  const key = probeKey.build(keyPrefix, service, instance);
  let isPermitted = commands.length === 0;
  return {
    name: `redis_${role}`,
    required,
    check: async () => {
      await client.set(key, "1", "EX", probeKey.ttlSeconds);
      // Rights that a user has are rarely taken away.
      if (isPermitted) return;
      const missing = await missingCommands(client, commands, key);
      if (missing.length > 0) throw new Error(`the Redis user has no right to run ${missing.join(", ")}`);
      isPermitted = true;
    },
  };
}
