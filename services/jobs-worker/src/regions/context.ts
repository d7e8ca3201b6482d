import { type Base, keyRingFromConfig, regionsBusFromConfig, regionsFromConfig } from "@postern/shared/assembly";
import {
  createRegionEnvelope,
  createRegionStatuses,
  type RegionAppliers,
  type RegionLog,
  regionEnvelopePurpose,
  regionLogPurpose,
} from "@postern/shared/domain/regions";
import type { Config } from "@postern/shared/platform/config";
import { fromUnknown, logFields } from "@postern/shared/platform/errors";
import type { RedisClient } from "@postern/shared/platform/redis";
import { type Clock, steadyClock } from "@postern/shared/platform/time";
import { type ExchangeDeps, startExchange } from "./exchange/exchange.ts";
import { createLease } from "./exchange/lease.ts";
import { createLogReader } from "./exchange/log-reader.ts";
import { startLogWatch } from "./exchange/log-watch.ts";
import { createRecordsOf } from "./exchange/peer-record.ts";
import { createPositions } from "./exchange/positions.ts";
import { servePulls } from "./exchange/serve-pulls.ts";
import { createRegionMetrics } from "./region-metrics.ts";

interface RegionsParts extends Pick<Base, "instance" | "logger" | "metrics" | "metricsPrefix"> {
  /** The client of the role `state`. */
  readonly redis: RedisClient;
  /** The same with blocking commands, for this purpose only. */
  readonly blocking: RedisClient;
  /** The clock of Redis. */
  readonly clock: Clock;
  readonly log: Pick<RegionLog, "append">;
  readonly appliers: RegionAppliers;
}

const stopMs = 2000;
const logEveryMs = 10_000;

/** A range error says that this region has no place for the event, which is not a bug. */
function fieldsOf(error: unknown): object {
  return error instanceof RangeError ? { error: error.message } : logFields(fromUnknown(error));
}

/** An outage would cause a line for each event and each second. */
function sparing<Args extends readonly unknown[]>(log: (...args: Args) => void): (...args: Args) => void {
  let nextMs = Number.NEGATIVE_INFINITY;
  return (...args) => {
    if (steadyClock.now() < nextMs) return;
    nextMs = steadyClock.now() + logEveryMs;
    log(...args);
  };
}

/** Whether the client has connected again since the last call. */
function watchReconnects(redis: RedisClient): () => boolean {
  let hasReconnected = false;
  redis.on("ready", () => {
    hasReconnected = true;
  });
  return () => {
    const result = hasReconnected;
    hasReconnected = false;
    return result;
  };
}

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
  const envelope = createRegionEnvelope(envelopeKeys);
  const reader = createLogReader({ redis, keyPrefix, keys: logKeys, log, clock });
  const watch = startLogWatch(blocking, keyPrefix, reader);
  const serving = servePulls({ bus, region, peers, envelope, reader, watch, appliers });
  const positions = createPositions(redis, keyPrefix);
  const statuses = createRegionStatuses(redis, keyPrefix, clock);
  const metrics = createRegionMetrics(parts.metrics, parts.metricsPrefix, peers);
  const exchange = startExchange({
    bus,
    region,
    peers,
    envelope,
    lease: createLease(redis, keyPrefix, instance),
    positions,
    statuses,
    appliers,
    apply: {
      appliers,
      verifyWrites: () => positions.write(region, "writable", "1"),
      onFailed: sparing((kind: string, error: unknown) =>
        logger.warn({ kind, ...fieldsOf(error) }, "an event of another region could not be applied"),
      ),
    },
    hasReconnected: watchReconnects(redis),
    createRecords: createRecordsOf(statuses, { clock, metrics, logger }),
    onRecords: (records) => metrics.follow(() => records.map(({ status }) => status)),
    onError: sparing((error: unknown) =>
      logger.warn(logFields(fromUnknown(error)), "the exchange with other regions waits for Redis"),
    ),
  } satisfies ExchangeDeps);
  return {
    stop: async (): Promise<void> => {
      await Promise.all([exchange.stop(), serving.drain(stopMs), watch.stop()]);
      await bus.drain(stopMs);
    },
  };
}

export type RunningRegions = NonNullable<Awaited<ReturnType<typeof startRegions>>>;
