import {
  type Base,
  baseFromConfig,
  busFromConfig,
  type FlushSettings,
  flushesFromConfig,
  flushSettings,
  redisFromConfig,
} from "@postern/shared/assembly";
import { noticeDeliveryFromConfig, noticeKeysFromConfig } from "@postern/shared/assembly/jobs";
import type { Bus } from "@postern/shared/bus";
import type { Config } from "@postern/shared/config";
import { fromUnknown, logFields } from "@postern/shared/errors";
import {
  countJobs,
  countNotices,
  createFoundKeys,
  createJobWorker,
  createNoticeWorker,
  type JobEvents,
  type JobWorker,
  type NoticeEvents,
  type NoticeWorker,
} from "@postern/shared/jobs";
import { createHealth, type Health } from "@postern/shared/lifecycle";
import { createDeliverNotice } from "@postern/shared/notices";
import { type RedisClient, redisHealth } from "@postern/shared/redis";
import { systemClock } from "@postern/shared/time";
import { createWorkerMetrics, type WorkerMetrics } from "./metrics.ts";
import { startQueueWatch } from "./queue-watch.ts";

/** Everything that a worker is made of. Only this file makes any of it. */
export interface WorkerContext extends Base {
  readonly privateAddress: string;
  readonly live: { current: FlushSettings };
  readonly redis: {
    readonly state: RedisClient;
    readonly cache: RedisClient;
    readonly queue: RedisClient;
    /** Of the role `queue` too; the worker waits in it. */
    readonly waiting: RedisClient;
    /** Of the role `queue` too, for notices; undefined while `identity.notices.enabled` is off. */
    readonly noticing: RedisClient | undefined;
  };
  readonly bus: Bus;
  readonly health: Health;
  /** Begins to take jobs. */
  readonly startWorker: () => JobWorker;
  /** Begins to deliver notices. */
  readonly startNotices: () => NoticeWorker | undefined;
  readonly watch: { stop(): void };
}

const countEveryMs = 5000;
/** A receiver that hangs holds these and no others. */
const noticesAtOnce = 16;

type WorkerParts = Base & Pick<WorkerContext, "redis" | "bus" | "live"> & { readonly workerMetrics: WorkerMetrics };

function createWorkerHealth(config: Config, { redis, bus, service, instance, logger }: WorkerParts): Health {
  const { prefix } = config.storage.redis;
  const ofRedis = { prefix, service, instance };
  const assertConnected = (): void => {
    if (!bus.isConnected()) throw new Error("not connected to NATS");
  };
  return createHealth({
    checks: [
      redisHealth({ ...ofRedis, client: redis.queue, role: "queue", required: true }),
      redisHealth({ ...ofRedis, client: redis.state, role: "state", required: false }),
      redisHealth({ ...ofRedis, client: redis.cache, role: "cache", required: false }),
      // Without it engines learn of a flush when their memory's short life ends.
      { name: "bus", required: false, check: assertConnected },
    ],
    onFailure: (name, err) => logger.warn({ check: name, err }, "health check failed"),
  });
}

function eventsOf({ logger, workerMetrics }: WorkerParts): JobEvents {
  return {
    ended: ({ id, type }, result, seconds) => {
      workerMetrics.ended(type, result, seconds);
      if (result === "failed") logger.error({ jobId: id, type }, "job failed for good");
      else logger.info({ jobId: id, type, seconds }, "job done");
    },
    retried: ({ id, type }, error) => {
      workerMetrics.retried(type);
      logger.warn({ jobId: id, type, ...logFields(fromUnknown(error)) }, "job failed, it will be tried again");
    },
    stalled: (jobId) => {
      workerMetrics.stalled();
      logger.warn({ jobId }, "job was left by its worker and is queued again");
    },
    error: (err) => logger.warn({ err }, "worker told an error"),
  };
}

function noticeEventsOf({ logger, workerMetrics }: WorkerParts): NoticeEvents {
  return {
    ended: ({ id, channel }, result) => {
      workerMetrics.noticed(channel, result);
      if (result === "failed") logger.error({ noticeId: id, channel }, "notice could not be delivered, for good");
      else logger.debug({ noticeId: id, channel }, "notice delivered");
    },
    retried: ({ id, channel }, err) => {
      workerMetrics.noticed(channel, "retried");
      logger.warn({ noticeId: id, channel, err }, "notice was not delivered, it will be tried again");
    },
    stalled: (id) => logger.warn({ noticeId: id }, "notice was left by its worker and is queued again"),
    error: (err) => logger.warn({ err }, "notice worker told an error"),
  };
}

function startNotices(config: Config, parts: WorkerParts): NoticeWorker | undefined {
  const keys = noticeKeysFromConfig(config);
  const { noticing } = parts.redis;
  if (keys === undefined || noticing === undefined) return undefined;
  return createNoticeWorker({
    redis: noticing,
    prefix: config.storage.redis.prefix,
    keys,
    concurrency: noticesAtOnce,
    deliver: createDeliverNotice(noticeDeliveryFromConfig(config), systemClock),
    events: noticeEventsOf(parts),
  });
}

export async function createContext(config: Config): Promise<WorkerContext> {
  const base = baseFromConfig(config, "jobs-worker");
  const { prefix } = config.storage.redis;
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
    workerMetrics: createWorkerMetrics(base.metrics, base.prefix),
  };
  const { redis, bus, live, workerMetrics } = parts;
  return {
    ...parts,
    privateAddress: config.runtime.services.jobs_worker.private_address,
    health: createWorkerHealth(config, parts),
    startWorker: () =>
      createJobWorker({
        redis: redis.waiting,
        prefix,
        concurrency: config.runtime.jobs.concurrency,
        flushes: flushesFromConfig(config, { ...redis, bus, live: () => live.current }),
        foundKeys: createFoundKeys(redis.queue, prefix),
        events: eventsOf(parts),
      }),
    startNotices: () => startNotices(config, parts),
    watch: startQueueWatch({
      count: async () => {
        const [jobs, notices] = await Promise.all([countJobs(redis.queue, prefix), countNotices(redis.queue, prefix)]);
        workerMetrics.counted(jobs, notices);
      },
      everyMs: countEveryMs,
    }),
  };
}
