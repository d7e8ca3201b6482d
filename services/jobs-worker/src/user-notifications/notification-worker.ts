import type { SentNotifications } from "@postern/shared/domain/history";
import { type NotificationJob, openNotification } from "@postern/shared/domain/jobs";
import type { KeyRing } from "@postern/shared/platform/crypto";
import { notificationQueue, type RedisClient } from "@postern/shared/platform/redis";
import { type Job, UnrecoverableError } from "bullmq";
import { startQueueWorker } from "../queues/queue-worker.ts";

/** `refused`: a retry would not help. Rejects if it may. */
export type DeliverNotification = (
  notification: NotificationJob,
  signal: AbortSignal,
) => Promise<"delivered" | "refused">;

/** Receives the results of user notifications. */
export interface NotificationEvents {
  ended(notification: { readonly id: string; readonly channel: string }, result: "delivered" | "failed"): void;
  /** The delivery failed and will be retried. */
  retried(notification: { readonly id: string; readonly channel: string }, error: unknown): void;
  /** Its worker died, and it was queued again. */
  stalled(id: string): void;
  error(error: unknown): void;
}

export interface NotificationWorkerDeps {
  /** Of the role `queue`, for this purpose only. */
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

export interface NotificationWorker {
  /**
   * Stops taking user notifications. Running deliveries have `finishMs` to end; the rest are aborted and repeated by another worker.
   */
  close(): Promise<void>;
}

/** Above the maximum duration of a delivery. */
const lockMs = 30_000;
const stalledCheckMs = 5000;

function facts({ id = "", name }: Job): { readonly id: string; readonly channel: string } {
  return { id, channel: name };
}

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

export function createNotificationWorker(deps: NotificationWorkerDeps): NotificationWorker {
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
      ended: (job, result) => {
        const outcome = result === "done" ? "delivered" : "failed";
        events.ended(facts(job), outcome);
        keepRecord(deps, job, outcome);
      },
      retried: (job, error) => events.retried(facts(job), error),
      stalled: (id) => events.stalled(id),
      error: (error) => events.error(error),
    },
  });
  return {
    close: async () => {
      const abort = setTimeout(() => closing.abort(), finishMs);
      try {
        await worker.close();
      } finally {
        clearTimeout(abort);
      }
    },
  };
}
