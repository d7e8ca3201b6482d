import {
  type Base,
  baseFromConfig,
  engineBusFromConfig,
  flushesFromConfig,
  flushSettings,
  redisFromConfig,
} from "@postern/shared/assembly";
import { countJobs, countNotifications } from "@postern/shared/domain/jobs";
import type { Config } from "@postern/shared/platform/config";
import type { Health } from "@postern/shared/platform/lifecycle";
import { createWorkerHealth } from "./context/health.ts";
import type { WorkerParts } from "./context/parts.ts";
import { startNotifications } from "./context/user-notifications.ts";
import { createFoundKeys } from "./flush-jobs/found-keys.ts";
import { createJobEvents } from "./flush-jobs/job-events.ts";
import { createJobWorker, type JobWorker } from "./flush-jobs/job-worker.ts";
import { createWorkerMetrics } from "./metrics.ts";
import { startQueueWatch } from "./queues/queue-watch.ts";
import type { NotificationWorker } from "./user-notifications/notification-worker.ts";

/** All components of a worker. Only this file and `context/` construct them. */
export interface WorkerContext extends Base, Omit<WorkerParts, keyof Base | "workerMetrics"> {
  readonly privateAddress: string;
  readonly health: Health;
  /** Starts processing jobs. */
  readonly startWorker: () => JobWorker;
  /** Starts delivering user notifications. */
  readonly startNotifications: () => NotificationWorker | undefined;
  readonly watch: { stop(): void };
}

const countEveryMs = 5000;

export async function createContext(config: Config): Promise<WorkerContext> {
  const base = await baseFromConfig(config, "jobs-worker");
  const { prefix: keyPrefix } = config.storage.redis;
  const parts = {
    ...base,
    live: { current: flushSettings(config) },
    redis: {
      state: redisFromConfig(config, "state", base),
      cache: redisFromConfig(config, "cache", base),
      queue: redisFromConfig(config, "queue", base),
      jobsBlocking: redisFromConfig(config, "queue", { ...base, isBlocking: true }),
      notificationsBlocking: config.identity.notices.enabled
        ? redisFromConfig(config, "queue", { ...base, isBlocking: true })
        : undefined,
    },
    // A flush script must not wait for a frozen engine.
    ...(await engineBusFromConfig(config, base)),
    workerMetrics: createWorkerMetrics(base.metrics, base.metricsPrefix),
  };
  const { redis, bus, live, workerMetrics } = parts;
  return {
    ...parts,
    privateAddress: config.runtime.services.jobs_worker.private_address,
    health: createWorkerHealth(config, parts),
    startWorker: () =>
      createJobWorker({
        redis: redis.jobsBlocking,
        keyPrefix,
        concurrency: config.runtime.jobs.concurrency,
        flushes: flushesFromConfig(config, { ...redis, bus, live: () => live.current }),
        foundKeys: createFoundKeys(redis.queue, keyPrefix),
        events: createJobEvents(parts),
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
