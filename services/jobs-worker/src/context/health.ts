import { busHealth } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import { createHealth, type Health } from "@postern/shared/platform/lifecycle";
import { redisCommands, redisHealth } from "@postern/shared/platform/redis";
import type { WorkerParts } from "./parts.ts";

export function createWorkerHealth(config: Config, { redis, bus, service, instance, logger }: WorkerParts): Health {
  const { prefix: keyPrefix } = config.storage.redis;
  const ofRedis = { keyPrefix, service, instance };
  return createHealth({
    checks: [
      redisHealth({
        ...ofRedis,
        client: redis.queue,
        role: "queue",
        required: true,
        commands: redisCommands["jobs-worker"],
      }),
      redisHealth({ ...ofRedis, client: redis.state, role: "state", required: false }),
      redisHealth({ ...ofRedis, client: redis.cache, role: "cache", required: false }),
      // Without NATS, engines notice a flush only when their short-lived memory caches expire.
      busHealth(bus, false),
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
}
