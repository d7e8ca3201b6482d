import type { Base } from "@postern/shared/assembly";
import type { Bus } from "@postern/shared/bus";
import type { Config } from "@postern/shared/config";
import { createHealth, type Health } from "@postern/shared/lifecycle";
import { type RedisClient, redisHealth } from "@postern/shared/redis";
import { systemClock } from "@postern/shared/time";
import type { DirectorySet } from "../directories/directory-set.ts";
import type { ResultCacheParts } from "./result-cache.ts";

interface HealthParts {
  readonly base: Base;
  readonly bus: Bus;
  readonly directories: DirectorySet;
  readonly redis: RedisClient | undefined;
  readonly resultCache: ResultCacheParts;
}

export function createEngineHealth(
  config: Config,
  { bus, directories, redis, resultCache, base }: HealthParts,
): Health {
  const { logger, service, instance } = base;
  const { prefix } = config.storage.redis;
  const assertConnected = (): void => {
    if (!bus.isConnected()) throw new Error("not connected to NATS");
  };
  const checkDirectories = async (signal: AbortSignal): Promise<void> => {
    const context = { deadline: systemClock.now() + 1000, signal };
    await Promise.all(directories.current.map((directory) => directory.check(context)));
  };
  return createHealth({
    checks: [
      { name: "bus", required: true, check: assertConnected },
      // An engine without its directory answers temporary failures; taking it away would answer nothing at all.
      { name: "directories", required: false, check: checkDirectories },
      // Without it logins by token are temporary failures, and those by password go on.
      ...(redis === undefined
        ? []
        : [redisHealth({ client: redis, role: "state", required: false, prefix, service, instance })]),
      // Without it more questions reach the directories.
      ...(resultCache.redis === undefined
        ? []
        : [redisHealth({ client: resultCache.redis, role: "cache", required: false, prefix, service, instance })]),
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
}
