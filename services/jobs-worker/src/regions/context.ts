import { keyRingFromConfig, regionsBusFromConfig, regionsFromConfig } from "@postern/shared/assembly";
import {
  createRegionEnvelope,
  type RegionAppliers,
  type RegionLog,
  regionEnvelopePurpose,
  regionLogPurpose,
} from "@postern/shared/domain/regions";
import type { Config } from "@postern/shared/platform/config";
import type { Logger } from "@postern/shared/platform/logging";
import type { Metrics } from "@postern/shared/platform/metrics";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import { startExchange } from "./exchange/exchange.ts";
import { createLogReader } from "./exchange/log-reader.ts";
import { startLogWatch } from "./exchange/log-watch.ts";
import { servePulls } from "./exchange/serve-pulls.ts";
import { createRegionMetrics } from "./region-metrics.ts";

interface RegionsParts {
  /** The client of the role `state`. */
  readonly redis: RedisClient;
  /** The same with blocking commands, for this purpose only. */
  readonly blocking: RedisClient;
  /** The clock of Redis. */
  readonly clock: Clock;
  readonly log: Pick<RegionLog, "append">;
  readonly instance: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly metricsPrefix: string;
  readonly appliers: RegionAppliers;
}

const stopMs = 2000;

/** Exchanges messages with the other regions. Undefined if none are configured. */
export async function startRegions(config: Config, parts: RegionsParts) {
  const { redis, blocking, clock, log, instance, logger, appliers } = parts;
  const regions = regionsFromConfig(config);
  const bus = await regionsBusFromConfig(config, parts);
  const logKeys = keyRingFromConfig(config, regionLogPurpose);
  const envelopeKeys = keyRingFromConfig(config, regionEnvelopePurpose);
  if (regions === undefined || bus === undefined) return undefined;
  if (logKeys === undefined || envelopeKeys === undefined) return undefined;
  const { name: region, peers } = regions;
  const keyPrefix = config.storage.redis.prefix;
  const side = { bus, region, peers, envelope: createRegionEnvelope(envelopeKeys), appliers };
  const reader = createLogReader({ redis, keyPrefix, keys: logKeys, log, clock });
  const watch = startLogWatch(blocking, keyPrefix, reader);
  const serving = servePulls(side, reader, watch);
  const metrics = createRegionMetrics(parts.metrics, parts.metricsPrefix, peers);
  const exchange = startExchange(side, { redis, keyPrefix, clock, metrics, logger }, instance);
  return {
    stop: async (): Promise<void> => {
      await Promise.all([exchange.stop(), serving.drain(stopMs), watch.stop()]);
      await bus.drain(stopMs);
    },
  };
}

export type RunningRegions = NonNullable<Awaited<ReturnType<typeof startRegions>>>;
