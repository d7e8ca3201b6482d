import { type Base, baseFromConfig, redisFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/config";
import { createHealth, type Health } from "@postern/shared/lifecycle";
import { type RedisClient, redisHealth } from "@postern/shared/redis";

/** Everything that a worker is made of. Only this file makes any of it. */
export interface WorkerContext extends Base {
  readonly privateAddress: string;
  readonly queue: RedisClient;
  readonly health: Health;
}

export function createContext(config: Config): WorkerContext {
  const base = baseFromConfig(config, "jobs-worker");
  const { logger, service, instance } = base;
  const queue = redisFromConfig(config, "queue", base);
  const { prefix } = config.storage.redis;
  return {
    ...base,
    privateAddress: config.runtime.services.jobs_worker.private_address,
    queue,
    health: createHealth({
      checks: [redisHealth({ client: queue, role: "queue", required: true, prefix, service, instance })],
      onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
    }),
  };
}
