import type { Base } from "@postern/shared/assembly";
import { type Bus, busHealth } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import { createHealth, type Health } from "@postern/shared/platform/lifecycle";
import { type RedisClient, redisHealth } from "@postern/shared/platform/redis";
import { steadyClock } from "@postern/shared/platform/time";
import type { BackendSet } from "../backends/backend-set.ts";
import type { ResultCacheParts } from "../result-cache/context.ts";

interface HealthParts {
  readonly base: Base;
  readonly bus: Bus;
  readonly backends: BackendSet;
  readonly redis: RedisClient | undefined;
  readonly resultCache: ResultCacheParts;
}

export function createEngineHealth(config: Config, { bus, backends, redis, resultCache, base }: HealthParts): Health {
  const { logger, service, instance } = base;
  const { prefix: keyPrefix } = config.storage.redis;
  const checkBackends = async (signal: AbortSignal): Promise<void> => {
    const context = { deadline: steadyClock.now() + 1000, signal };
    await Promise.all(backends.current.map((backend) => backend.check(context)));
  };
  return createHealth({
    checks: [
      busHealth(bus, true),
      // An engine without its backend answers temporary failures; without the engine there would be no answer at all.
      { name: "directories", required: false, check: checkBackends },
      // Without it, sign-ins by token are temporary failures; sign-ins by password continue.
      ...(redis === undefined
        ? []
        : [redisHealth({ client: redis, role: "state", required: false, keyPrefix, service, instance })]),
      // Without it, more queries reach the backends.
      ...(resultCache.redis === undefined
        ? []
        : [redisHealth({ client: resultCache.redis, role: "cache", required: false, keyPrefix, service, instance })]),
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
}
