import { type Base, keyRingFromConfig, redisFromConfig } from "@postern/shared/assembly";
import { accountFlushed } from "@postern/shared/contracts";
import { createCircuitBreaker } from "@postern/shared/platform/concurrency";
import type { Config } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import { steadyClock } from "@postern/shared/platform/time";
import type { BackendSet } from "../backends/context.ts";
import type { Foundation } from "../foundation.ts";
import type { EngineSettings } from "../settings.ts";
import { createGuardedCache } from "./guarded-cache.ts";
import { MemoryCache } from "./memory-cache.ts";
import { createResultCacheMetrics } from "./metrics.ts";
import { createRedisResultCache } from "./result-cache-redis.ts";
import { createResultCaches } from "./result-caches.ts";
import { createPasswordDigest } from "./security-context.ts";

interface Parts extends Pick<Foundation, "base" | "bus" | "live"> {
  readonly backends: Pick<BackendSet, "current">;
  /** All spellings under which a backend may remember a name. */
  readonly spellings: (name: string) => readonly string[];
}

/** Opens after three consecutive failures, then allows one attempt a second. */
const breakerSettings = { failureThreshold: 3, cooldownMs: 1000, halfOpenMax: 1 } as const;

function createShared(config: Config, timeoutMs: number, base: Base) {
  const keys = keyRingFromConfig(config, "result-cache");
  if (keys === undefined) return undefined;
  const redis = redisFromConfig(config, "cache", base);
  const breaker = createCircuitBreaker(breakerSettings, steadyClock);
  let isAway = false;
  const cache = createGuardedCache(
    createRedisResultCache(redis, config.storage.redis.prefix, keys),
    timeoutMs,
    breaker,
    (err) => {
      // One line per outage; the metrics count the rest.
      if (!isAway && breaker.state() !== "closed")
        base.logger.warn({ err }, "the shared result cache is unavailable: backends are queried instead");
      isAway = breaker.state() !== "closed";
    },
  );
  return { redis, cache };
}

/** The result caches, and the client of the role `cache`; absent if nothing is shared. */
export function createResultCacheParts(
  config: Config,
  { memoryCache, sharedCache }: EngineSettings,
  { base, bus, live, backends, spellings }: Parts,
) {
  const memory = new MemoryCache(memoryCache, steadyClock);
  const metrics = createResultCacheMetrics(base.metrics, base.metricsPrefix, memory);
  const shared = sharedCache === undefined ? undefined : createShared(config, sharedCache.timeoutMs, base);
  const { password_nonce: nonce } = config.storage.redis;
  const caches = createResultCaches({
    settings: () => live.current.resultCache,
    memory,
    shared: shared?.cache,
    passwordDigest: createPasswordDigest(nonce === "" ? undefined : new Secret(nonce)),
    observeRead: metrics.read,
    observeWrite: metrics.written,
  });
  bus.subscribe(accountFlushed, ({ names }) => {
    // The backends clear their caches first; otherwise a sign-in in between would cache their old result.
    const all = new Set(names.flatMap((name) => spellings(name)));
    for (const backend of backends.current) for (const name of all) backend.forget?.(name);
    memory.flush([...all]);
    metrics.flushed();
  });
  return { caches, redis: shared?.redis };
}

export type ResultCacheParts = ReturnType<typeof createResultCacheParts>;
