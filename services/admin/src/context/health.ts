import type { Base } from "@postern/shared/assembly";
import { type Bus, busHealth } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import { createHealth, type Health } from "@postern/shared/platform/lifecycle";
import { type RedisClient, redisHealth } from "@postern/shared/platform/redis";

interface HealthParts extends Pick<Base, "service" | "instance" | "logger"> {
  readonly state: RedisClient;
  readonly cache: RedisClient;
  readonly queue: RedisClient;
  readonly bus: Bus;
}

export function createAdminHealth(
  config: Config,
  { state, cache, queue, bus, service, instance, logger }: HealthParts,
): Health {
  const { prefix: keyPrefix } = config.storage.redis;
  const ofRedis = { required: false, keyPrefix, service, instance };
  return createHealth({
    // Reading the configuration needs neither, so the service runs without them.
    checks: [
      redisHealth({ ...ofRedis, client: state, role: "state" }),
      redisHealth({ ...ofRedis, client: cache, role: "cache" }),
      redisHealth({ ...ofRedis, client: queue, role: "queue" }),
      busHealth(bus, false),
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
}
