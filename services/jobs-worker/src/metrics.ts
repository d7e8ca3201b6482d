import type { JobCounts } from "@postern/shared/domain/jobs";
import { type NotificationChannel, notificationChannels } from "@postern/shared/domain/jobs";
import type { Metrics } from "@postern/shared/platform/metrics";
import type { JobEvents } from "./flush-jobs/job-worker.ts";

const types = ["CACHE_FLUSH", "BF_FLUSH"] as const;
type Type = (typeof types)[number];

/** From a flush without keys to one of an account with a thousand addresses. */
const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** One function for each metric of a worker. */
export interface WorkerMetrics {
  ended(type: string, ...how: readonly [result: Parameters<JobEvents["ended"]>[1], seconds: number]): void;
  retried(type: string): void;
  stalled(): void;
  counted(jobs: JobCounts, notifications: JobCounts): void;
  notified(channel: string, result: "delivered" | "retried" | "failed"): void;
}

function channelOf(channel: string): NotificationChannel {
  return notificationChannels.find((one) => one === channel) ?? "webhook";
}

function notificationCounter(registry: Metrics, prefix: string): WorkerMetrics["notified"] {
  const notifications = registry.counter({
    name: `${prefix}_notices_total`,
    help: "Attempts to deliver user notifications, by channel and result",
    labels: { channel: notificationChannels, result: ["delivered", "retried", "failed"] },
  });
  return (channel, result) => notifications({ channel: channelOf(channel), result }).inc();
}

function typeOf(type: string): Type {
  return types.find((one) => one === type) ?? "CACHE_FLUSH";
}

const none: JobCounts = { waiting: 0, active: 0, delayed: 0, failed: 0 };

function queueGauges(registry: Metrics, prefix: string): WorkerMetrics["counted"] {
  let jobs = none;
  let notifications = none;
  registry.gauge({
    name: `${prefix}_jobs_waiting`,
    help: "Jobs waiting for a worker",
    read: () => jobs.waiting,
  });
  registry.gauge({
    name: `${prefix}_jobs_active`,
    help: "Jobs being run by a worker",
    read: () => jobs.active,
  });
  registry.gauge({
    name: `${prefix}_jobs_delayed`,
    help: "Jobs waiting for their next run after a failure",
    read: () => jobs.delayed,
  });
  registry.gauge({
    name: `${prefix}_notices_waiting`,
    help: "User notifications waiting for a worker",
    read: () => notifications.waiting,
  });
  registry.gauge({
    name: `${prefix}_notices_delayed`,
    help: "User notifications waiting for their next attempt after a failure",
    read: () => notifications.delayed,
  });
  return (ofJobs, ofNotifications) => {
    jobs = ofJobs;
    notifications = ofNotifications;
  };
}

export function createWorkerMetrics(registry: Metrics, prefix: string): WorkerMetrics {
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
    ended: (type, result, took) => {
      ended({ type: typeOf(type), result }).inc();
      seconds({ type: typeOf(type) }).observe(took);
    },
    retried: (type) => retried({ type: typeOf(type) }).inc(),
    stalled: () => stalled.inc(),
    notified: notificationCounter(registry, prefix),
    counted,
  };
}
