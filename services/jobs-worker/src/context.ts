import {
  type Base,
  baseFromConfig,
  busFromConfig,
  type FlushSettings,
  flushesFromConfig,
  flushSettings,
  notificationKeysFromConfig,
  redisFromConfig,
} from "@postern/shared/assembly";
import type { Bus } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import { fromUnknown, logFields } from "@postern/shared/platform/errors";
import { createHealth, type Health } from "@postern/shared/platform/lifecycle";
import { type RedisClient, redisHealth } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { createFoundKeys } from "./flush-jobs/found-keys.ts";
import { createJobWorker, type JobEvents, type JobWorker } from "./flush-jobs/job-worker.ts";
import { createWorkerMetrics, type WorkerMetrics } from "./metrics.ts";
import { countJobs, countNotifications } from "./queues/count-jobs.ts";
import { startQueueWatch } from "./queues/queue-watch.ts";
import { createDeliverNotification } from "./user-notifications/deliver-notification.ts";
import { deliverySettings } from "./user-notifications/delivery-settings.ts";
import {
  createNotificationWorker,
  type NotificationEvents,
  type NotificationWorker,
} from "./user-notifications/notification-worker.ts";

/** All components of a worker. Only this file constructs them. */
export interface WorkerContext extends Base {
  readonly privateAddress: string;
  readonly live: { current: FlushSettings };
  readonly redis: {
    readonly state: RedisClient;
    readonly cache: RedisClient;
    readonly queue: RedisClient;
    /** Also of the role `queue`; used for blocking commands. */
    readonly waiting: RedisClient;
    /** Also of the role `queue`, for user notifications; undefined if `identity.notices.enabled` is off. */
    readonly noticing: RedisClient | undefined;
  };
  readonly bus: Bus;
  readonly health: Health;
  /** Starts processing jobs. */
  readonly startWorker: () => JobWorker;
  /** Starts delivering user notifications. */
  readonly startNotifications: () => NotificationWorker | undefined;
  readonly watch: { stop(): void };
}

const countEveryMs = 5000;
/** Limits how many deliveries a hung receiver can occupy. */
const notificationsAtOnce = 16;
/** Most deliveries take less. */
const longestFinishMs = 2000;

type WorkerParts = Base & Pick<WorkerContext, "redis" | "bus" | "live"> & { readonly workerMetrics: WorkerMetrics };

function createWorkerHealth(config: Config, { redis, bus, service, instance, logger }: WorkerParts): Health {
  const { prefix: keyPrefix } = config.storage.redis;
  const ofRedis = { keyPrefix, service, instance };
  const assertConnected = (): void => {
    if (!bus.isConnected()) throw new Error("not connected to NATS");
  };
  return createHealth({
    checks: [
      redisHealth({ ...ofRedis, client: redis.queue, role: "queue", required: true }),
      redisHealth({ ...ofRedis, client: redis.state, role: "state", required: false }),
      redisHealth({ ...ofRedis, client: redis.cache, role: "cache", required: false }),
      // Without NATS, engines notice a flush only when their short-lived memory caches expire.
      { name: "bus", required: false, check: assertConnected },
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
}

function eventsOf({ logger, workerMetrics }: WorkerParts): JobEvents {
  return {
    ended: ({ id, type }, result, seconds) => {
      workerMetrics.ended(type, result, seconds);
      if (result === "failed") logger.error({ jobId: id, type }, "job failed permanently");
      else logger.info({ jobId: id, type, seconds }, "job done");
    },
    retried: ({ id, type }, error) => {
      workerMetrics.retried(type);
      logger.warn({ jobId: id, type, ...logFields(fromUnknown(error)) }, "job failed and will be retried");
    },
    stalled: (jobId) => {
      workerMetrics.stalled();
      logger.warn({ jobId }, "job was abandoned by its worker and is queued again");
    },
    error: (err) => logger.warn({ err }, "job worker error"),
  };
}

function notificationEventsOf({ logger, workerMetrics }: WorkerParts): NotificationEvents {
  return {
    ended: ({ id, channel }, result) => {
      workerMetrics.notified(channel, result);
      if (result === "failed")
        logger.error({ noticeId: id, channel }, "user notification could not be delivered and was given up");
      else logger.debug({ noticeId: id, channel }, "user notification delivered");
    },
    retried: ({ id, channel }, err) => {
      workerMetrics.notified(channel, "retried");
      logger.warn({ noticeId: id, channel, err }, "user notification could not be delivered and will be retried");
    },
    stalled: (id) => logger.warn({ noticeId: id }, "user notification was abandoned by its worker and is queued again"),
    error: (err) => logger.warn({ err }, "user notification worker error"),
  };
}

function startNotifications(config: Config, parts: WorkerParts): NotificationWorker | undefined {
  const keys = notificationKeysFromConfig(config);
  const { noticing } = parts.redis;
  if (keys === undefined || noticing === undefined) return undefined;
  return createNotificationWorker({
    redis: noticing,
    keyPrefix: config.storage.redis.prefix,
    keys,
    concurrency: notificationsAtOnce,
    deliver: createDeliverNotification(deliverySettings(config), systemClock),
    events: notificationEventsOf(parts),
    // Aborted deliveries are queued again, which also takes part of the shutdown grace period.
    finishMs: Math.min(longestFinishMs, config.runtime.timeouts.shutdown_grace / 2),
  });
}

export async function createContext(config: Config): Promise<WorkerContext> {
  const base = baseFromConfig(config, "jobs-worker");
  const { prefix: keyPrefix } = config.storage.redis;
  const parts = {
    ...base,
    live: { current: flushSettings(config) },
    redis: {
      state: redisFromConfig(config, "state", base),
      cache: redisFromConfig(config, "cache", base),
      queue: redisFromConfig(config, "queue", base),
      waiting: redisFromConfig(config, "queue", { ...base, isBlocking: true }),
      noticing: config.identity.notices.enabled
        ? redisFromConfig(config, "queue", { ...base, isBlocking: true })
        : undefined,
    },
    bus: await busFromConfig(config, base),
    workerMetrics: createWorkerMetrics(base.metrics, base.metricsPrefix),
  };
  const { redis, bus, live, workerMetrics } = parts;
  return {
    ...parts,
    privateAddress: config.runtime.services.jobs_worker.private_address,
    health: createWorkerHealth(config, parts),
    startWorker: () =>
      createJobWorker({
        redis: redis.waiting,
        keyPrefix,
        concurrency: config.runtime.jobs.concurrency,
        flushes: flushesFromConfig(config, { ...redis, bus, live: () => live.current }),
        foundKeys: createFoundKeys(redis.queue, keyPrefix),
        events: eventsOf(parts),
      }),
    startNotifications: () => startNotifications(config, parts),
    watch: startQueueWatch({
      count: async () => {
        const [jobs, notifications] = await Promise.all([
          countJobs(redis.queue, keyPrefix),
          countNotifications(redis.queue, keyPrefix),
        ]);
        workerMetrics.counted(jobs, notifications);
      },
      everyMs: countEveryMs,
    }),
  };
}
