import { type JobCounts, type JobEvents, type NoticeChannel, noticeChannels } from "@postern/shared/jobs";
import type { Metrics } from "@postern/shared/metrics";

const types = ["CACHE_FLUSH", "BF_FLUSH"] as const;
type Type = (typeof types)[number];

/** From a flush of nothing to one of an account with a thousand addresses. */
const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** One function for each fact that a worker counts. */
export interface WorkerMetrics {
  ended(type: string, ...how: readonly [result: Parameters<JobEvents["ended"]>[1], seconds: number]): void;
  retried(type: string): void;
  stalled(): void;
  counted(jobs: JobCounts, notices: JobCounts): void;
  noticed(channel: string, result: "delivered" | "retried" | "failed"): void;
}

function channelOf(channel: string): NoticeChannel {
  return noticeChannels.find((one) => one === channel) ?? "webhook";
}

function noticeCounter(registry: Metrics, prefix: string): WorkerMetrics["noticed"] {
  const notices = registry.counter({
    name: `${prefix}_notices_total`,
    help: "Attempts to deliver notices of accounts, by channel and result",
    labels: { channel: noticeChannels, result: ["delivered", "retried", "failed"] },
  });
  return (channel, result) => notices({ channel: channelOf(channel), result }).inc();
}

function typeOf(type: string): Type {
  return types.find((one) => one === type) ?? "CACHE_FLUSH";
}

const none: JobCounts = { waiting: 0, active: 0, delayed: 0 };

function queueGauges(registry: Metrics, prefix: string): WorkerMetrics["counted"] {
  let jobs = none;
  let notices = none;
  registry.gauge({
    name: `${prefix}_jobs_waiting`,
    help: "Jobs that wait for a worker",
    read: () => jobs.waiting,
  });
  registry.gauge({
    name: `${prefix}_jobs_active`,
    help: "Jobs that some worker runs",
    read: () => jobs.active,
  });
  registry.gauge({
    name: `${prefix}_jobs_delayed`,
    help: "Jobs that failed and wait for their next run",
    read: () => jobs.delayed,
  });
  registry.gauge({
    name: `${prefix}_notices_waiting`,
    help: "Notices that wait for a worker",
    read: () => notices.waiting,
  });
  registry.gauge({
    name: `${prefix}_notices_delayed`,
    help: "Notices that were not delivered and wait for their next attempt",
    read: () => notices.delayed,
  });
  return (ofJobs, ofNotices) => {
    jobs = ofJobs;
    notices = ofNotices;
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
    help: "Time of the last run of jobs that ended",
    labels: { type: types },
    buckets: secondsBuckets,
  });
  const retried = registry.counter({
    name: `${prefix}_jobs_retried_total`,
    help: "Runs of jobs that failed and will be tried again",
    labels: { type: types },
  });
  const stalled = registry.counter({
    name: `${prefix}_jobs_stalled_total`,
    help: "Jobs whose worker was gone, so that they were queued again",
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
    noticed: noticeCounter(registry, prefix),
    counted,
  };
}
