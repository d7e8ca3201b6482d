import type { Logger } from "@postern/shared/platform/logging";
import type { WorkerMetrics } from "../metrics.ts";
import type { NotificationEvents } from "./notification-worker.ts";

interface NotificationEventDeps {
  readonly logger: Logger;
  readonly workerMetrics: WorkerMetrics;
}

/** Logs and counts what happens to user notifications. The log field `noticeId` keeps its earlier name. */
export function createNotificationEvents({ logger, workerMetrics }: NotificationEventDeps): NotificationEvents {
  return {
    ended: ({ id, channel }, result) => {
      workerMetrics.notified(channel, result);
      if (result === "failed")
        logger.error({ noticeId: id, channel }, "user notification could not be delivered and will not be retried");
      else logger.debug({ noticeId: id, channel }, "user notification delivered");
    },
    retried: ({ id, channel }, err) => {
      workerMetrics.notified(channel, "retried");
      logger.warn({ noticeId: id, channel, err }, "user notification could not be delivered and will be retried");
    },
    stalled: (id) => logger.warn({ noticeId: id }, "user notification was abandoned by its worker and is queued again"),
    error: (err) => logger.warn({ err }, "an error in the queue of user notifications; the worker continues"),
  };
}
