import { type JobCounts, type NotificationChannel, notificationChannels } from "@postern/shared/domain/jobs";
import type { Metrics } from "@postern/shared/platform/metrics";

const types = ["CACHE_FLUSH", "BF_FLUSH"] as const;
type Type = (typeof types)[number];

/** From a flush without keys to one of an account with a thousand addresses. */
const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;

function channelOf(channel: string): NotificationChannel {
  return notificationChannels.find((one) => one === channel) ?? "webhook";
}

function notificationCounter(registry: Metrics, prefix: string) {
  const notifications = registry.counter({
    name: `${prefix}_notices_total`,
    help: "Attempts to deliver user notifications, by channel and result",
    labels: { channel: notificationChannels, result: ["delivered", "retried", "failed"] },
  });
  return (channel: string, result: "delivered" | "retried" | "failed"): void =>
    notifications({ channel: channelOf(channel), result }).inc();
}

function typeOf(type: string): Type {
  return types.find((one) => one === type) ?? "CACHE_FLUSH";
}

const none: JobCounts = { waiting: 0, active: 0, delayed: 0, failed: 0 };

function queueGauges(registry: Metrics, prefix: string) {
  let counts = { jobs: none, notifications: none };
  registry.gauge({
    name: `${prefix}_jobs_waiting`,
    help: "Jobs waiting for a worker",
    read: () => counts.jobs.waiting,
  });
  registry.gauge({ name: `${prefix}_jobs_active`, help: "Jobs being run by a worker", read: () => counts.jobs.active });
  registry.gauge({
    name: `${prefix}_jobs_delayed`,
    help: "Jobs waiting for their next run after a failure",
    read: () => counts.jobs.delayed,
  });
  registry.gauge({
    name: `${prefix}_notices_waiting`,
    help: "User notifications waiting for a worker",
    read: () => counts.notifications.waiting,
  });
  registry.gauge({
    name: `${prefix}_notices_delayed`,
    help: "User notifications waiting for their next attempt after a failure",
    read: () => counts.notifications.delayed,
  });
  return (jobs: JobCounts, notifications: JobCounts): void => {
    counts = { jobs, notifications };
  };
}

export function createWorkerMetrics(registry: Metrics, prefix: string) {
  const ended = registry.counter({
    name: `${prefix}_jobs_total`,
    help: "Jobs that ended, by type and result",
    labels: { type: types, result: ["done", "failed"] },
  });
  const seconds = registry.histogram({
    name: `${prefix}_job_duration_seconds`,
    help: "Duration of the last run of jobs that ended",
    labels: { type: types },
    buckets: secondsBuckets,
  });
  const retried = registry.counter({
    name: `${prefix}_jobs_retried_total`,
    help: "Job runs that failed and will be retried",
    labels: { type: types },
  });
  const stalled = registry.counter({
    name: `${prefix}_jobs_stalled_total`,
    help: "Jobs that were queued again because their worker died",
    labels: {},
  })({});
  const counted = queueGauges(registry, prefix);
  return {
    ended: (type: string, result: "done" | "failed", took: number): void => {
      ended({ type: typeOf(type), result }).inc();
      seconds({ type: typeOf(type) }).observe(took);
    },
    retried: (type: string): void => retried({ type: typeOf(type) }).inc(),
    stalled: (): void => stalled.inc(),
    notified: notificationCounter(registry, prefix),
    counted,
  };
}

/** Counts jobs periodically for the metrics; while Redis is unavailable, the last counts remain. */
export function startQueueWatch(count: () => Promise<void>, everyMs: number): { stop(): void } {
  let isBusy = false;
  const look = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      await count();
    } catch {
      // The health check reports that Redis is unavailable.
    } finally {
      isBusy = false;
    }
  };
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
