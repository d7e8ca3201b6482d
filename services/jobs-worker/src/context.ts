import {
  type Base,
  baseFromConfig,
  engineBusFromConfig,
  flushesFromConfig,
  flushSettings,
  keyRingFromConfig,
  ownRegionFromConfig,
  redisFromConfig,
  regionsFromConfig,
} from "@postern/shared/assembly";
import { createSentNotifications } from "@postern/shared/domain/history";
import { countJobs, countNotifications } from "@postern/shared/domain/jobs";
import { busHealth } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import { createHealth, type Health, type SharedByProcess } from "@postern/shared/platform/lifecycle";
import { redisCommands, redisHealth, watchRedisClock } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { createJobEvents, createJobWorker } from "./flush-jobs/job-worker.ts";
import { createFoundKeys } from "./flush-jobs/run-flush-job.ts";
import { createWorkerMetrics, startQueueWatch } from "./metrics.ts";
import { type RunningRegions, startRegions } from "./regions/context.ts";
import { createRegionAppliers } from "./regions/merge/context.ts";
import { createDeliverNotification, deliverySettings } from "./user-notifications/deliver-notification.ts";
import {
  createNotificationEvents,
  createNotificationWorker,
  type NotificationWorker,
} from "./user-notifications/notification-worker.ts";

const countEveryMs = 5000;
/** Limits how many deliveries a hung receiver can occupy. */
const notificationsAtOnce = 16;
/** Most deliveries take less. */
const longestFinishMs = 2000;

function connectRedis(config: Config, base: Base) {
  const blocking = (role: "queue" | "state" = "queue") => redisFromConfig(config, role, { ...base, isBlocking: true });
  return {
    state: redisFromConfig(config, "state", base),
    cache: redisFromConfig(config, "cache", base),
    queue: redisFromConfig(config, "queue", base),
    jobsBlocking: blocking(),
    notificationsBlocking: config.identity.notices.enabled ? blocking() : undefined,
    regionsBlocking: regionsFromConfig(config) === undefined ? undefined : blocking("state"),
  };
}

type Parts = Awaited<ReturnType<typeof createParts>>;

async function createParts(config: Config, shared: SharedByProcess) {
  const base = await baseFromConfig(config, "jobs-worker", shared);
  return {
    ...base,
    keyPrefix: config.storage.redis.prefix,
    live: { current: flushSettings(config) },
    redis: connectRedis(config, base),
    // A flush script must not wait for a frozen engine.
    ...(await engineBusFromConfig(config, base)),
    workerMetrics: createWorkerMetrics(base.metrics, base.metricsPrefix),
  };
}

function createWorkerHealth({ redis, bus, keyPrefix, service, instance, logger }: Parts): Health {
  const ofRedis = { keyPrefix, service, instance };
  const commands = redisCommands["jobs-worker"];
  return createHealth({
    checks: [
      redisHealth({ ...ofRedis, client: redis.queue, role: "queue", required: true, commands }),
      redisHealth({ ...ofRedis, client: redis.state, role: "state", required: false }),
      redisHealth({ ...ofRedis, client: redis.cache, role: "cache", required: false }),
      // Without NATS, engines notice a flush only when their short-lived memory caches expire.
      busHealth(bus, false),
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
}

function startNotifications(config: Config, parts: Parts): NotificationWorker | undefined {
  const keys = keyRingFromConfig(config, "notice");
  const sentKeys = keyRingFromConfig(config, "sent-notice");
  const { keyPrefix, logger, redis, workerMetrics } = parts;
  if (keys === undefined || redis.notificationsBlocking === undefined) return undefined;
  return createNotificationWorker({
    redis: redis.notificationsBlocking,
    keyPrefix,
    keys,
    concurrency: notificationsAtOnce,
    deliver: createDeliverNotification(deliverySettings(config), systemClock),
    events: createNotificationEvents(logger, workerMetrics),
    sent: sentKeys && createSentNotifications({ redis: redis.state, keyPrefix, keys: sentKeys }),
    nowMs: () => systemClock.now(),
    // Aborted deliveries are queued again, which also takes part of the shutdown grace period.
    finishMs: Math.min(longestFinishMs, config.runtime.timeouts.shutdown_grace / 2),
  });
}

async function startExchange(config: Config, parts: Parts): Promise<RunningRegions | undefined> {
  const { redis, bus, live, keyPrefix } = parts;
  const { state, cache, regionsBlocking } = redis;
  const region = ownRegionFromConfig(config, state);
  if (region === undefined || regionsBlocking === undefined) return undefined;
  const clock = watchRedisClock(state);
  const appliers = createRegionAppliers({ state, cache, keyPrefix, bus, live, clock, region });
  return startRegions(config, { ...parts, redis: state, blocking: regionsBlocking, clock, log: region.log, appliers });
}

/** All components of a worker. Only this file constructs them. */
export async function createContext(config: Config, shared: SharedByProcess) {
  const parts = await createParts(config, shared);
  const { redis, bus, live, keyPrefix, logger, workerMetrics } = parts;
  const count = async (): Promise<void> => {
    const [jobs, notifications] = await Promise.all([
      countJobs(redis.queue, keyPrefix),
      countNotifications(redis.queue, keyPrefix),
    ]);
    workerMetrics.counted(jobs, notifications);
  };
  return {
    ...parts,
    privateAddress: config.runtime.services.jobs_worker.private_address,
    health: createWorkerHealth(parts),
    startWorker: () =>
      createJobWorker({
        redis: redis.jobsBlocking,
        keyPrefix,
        concurrency: config.runtime.jobs.concurrency,
        flushes: flushesFromConfig(config, { ...redis, bus, live: () => live.current }),
        foundKeys: createFoundKeys(redis.queue, keyPrefix),
        events: createJobEvents(logger, workerMetrics),
      }),
    startNotifications: () => startNotifications(config, parts),
    startRegions: () => startExchange(config, parts),
    watch: startQueueWatch(count, countEveryMs),
  };
}
