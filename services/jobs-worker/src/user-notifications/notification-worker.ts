import type { SentNotifications } from "@postern/shared/domain/history";
import { openNotification } from "@postern/shared/domain/jobs";
import type { KeyRing } from "@postern/shared/platform/crypto";
import type { Logger } from "@postern/shared/platform/logging";
import { notificationQueue, type RedisClient } from "@postern/shared/platform/redis";
import { type Job, UnrecoverableError } from "bullmq";
import type { WorkerMetrics } from "../metrics.ts";
import { type NamedJob, startQueueWorker } from "../queues/queue-worker.ts";
import type { DeliverNotification } from "./deliver-notification.ts";

export type NotificationEvents = ReturnType<typeof createNotificationEvents>;

/** Logs and counts what happens to user notifications. The log field `noticeId` keeps its earlier name. */
export function createNotificationEvents(logger: Logger, workerMetrics: WorkerMetrics) {
  return {
    ended: ({ id, name: channel }: NamedJob, result: "delivered" | "failed"): void => {
      workerMetrics.notified(channel, result);
      if (result === "failed")
        logger.error({ noticeId: id, channel }, "user notification could not be delivered and will not be retried");
      else logger.debug({ noticeId: id, channel }, "user notification delivered");
    },
    retried: ({ id, name: channel }: NamedJob, err: unknown): void => {
      workerMetrics.notified(channel, "retried");
      logger.warn({ noticeId: id, channel, err }, "user notification could not be delivered and will be retried");
    },
    stalled: (id: string): void =>
      logger.warn({ noticeId: id }, "user notification was abandoned by its worker and is queued again"),
    error: (err: unknown): void =>
      logger.warn({ err }, "an error in the queue of user notifications; the worker continues"),
  };
}

interface NotificationWorkerDeps {
  /** A client of the role `queue`, for this purpose only. */
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  readonly concurrency: number;
  readonly deliver: DeliverNotification;
  /** Records what was sent, for operators. */
  readonly sent?: Pick<SentNotifications, "keep"> | undefined;
  readonly nowMs: () => number;
  readonly events: NotificationEvents;
  /** Time for running deliveries to end when the worker closes: an aborted one may be delivered twice. */
  readonly finishMs: number;
}

export type NotificationWorker = ReturnType<typeof createNotificationWorker>;

/** Above the maximum duration of a delivery. */
const lockMs = 30_000;
const stalledCheckMs = 5000;

/** Nothing waits for the record: without Redis, only the record is lost. */
function keepRecord(
  { keys, sent, nowMs, events }: NotificationWorkerDeps,
  job: Job,
  outcome: "delivered" | "failed",
): void {
  const notification = openNotification(keys, job.id ?? "", job.data);
  const { account, event, id = "", channel = "" } = notification ?? {};
  if (account === undefined || event === undefined) return;
  sent?.keep(account, { id, event, channel, outcome, timeMs: nowMs() }).catch((error: unknown) => events.error(error));
}

export function createNotificationWorker(deps: NotificationWorkerDeps) {
  const { redis, keyPrefix, keys, concurrency, deliver, events, finishMs } = deps;
  const closing = new AbortController();
  const run = async (job: Job): Promise<void> => {
    const notification = openNotification(keys, job.id ?? "", job.data);
    if (notification === undefined) throw new UnrecoverableError("the user notification cannot be read");
    if ((await deliver(notification, closing.signal)) === "refused")
      throw new UnrecoverableError("the user notification was refused");
  };
  const worker = startQueueWorker({
    redis,
    keyPrefix,
    queue: notificationQueue,
    concurrency,
    lockMs,
    stalledCheckMs,
    run,
    events: {
      ...events,
      ended: (job, result) => {
        const outcome = result === "done" ? "delivered" : "failed";
        events.ended(job, outcome);
        keepRecord(deps, job, outcome);
      },
    },
  });
  return {
    /** Stops taking user notifications. Running deliveries have `finishMs` to end; the rest are aborted and repeated by another worker. */
    close: async (): Promise<void> => {
      const abort = setTimeout(() => closing.abort(), finishMs);
      try {
        await worker.close();
      } finally {
        clearTimeout(abort);
      }
    },
  };
}
