import {
  createLazyQueue,
  type NotificationJob,
  notificationJobId,
  sealNotification,
} from "@postern/shared/domain/jobs";
import { within } from "@postern/shared/platform/concurrency";
import type { KeyRing } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import { notificationJobKey, notificationQueue, type RedisClient } from "@postern/shared/platform/redis";

/** Retries after 0.5, 1, 2, 4 … s: more than two hours in total. */
const attempts = 15;
const firstBackoffMs = 500;

export function createNotificationQueue(deps: {
  /** The client of the role `queue`. */
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  readonly maxQueued: number;
  readonly timeoutMs: number;
  readonly onError: (error: unknown) => void;
}) {
  const { redis, keyPrefix, keys, maxQueued, timeoutMs } = deps;
  const queueOf = createLazyQueue(notificationQueue, deps);
  const put = async (notifications: readonly NotificationJob[]): Promise<void> => {
    const queue = await queueOf();
    const [waiting, delayed] = await Promise.all([
      redis.llen(notificationJobKey.build(keyPrefix, "wait")),
      redis.zcard(notificationJobKey.build(keyPrefix, "delayed")),
    ]);
    if (waiting + delayed >= maxQueued)
      throw new AppError("OVERLOADED", { detail: `${maxQueued} user notifications are queued` });
    await queue.addBulk(
      notifications.map((notification) => ({
        name: notification.channel,
        data: sealNotification(keys, notification),
        opts: {
          jobId: notificationJobId(notification),
          attempts,
          backoff: { type: "exponential", delay: firstBackoffMs },
          // Removes user data with the job.
          removeOnComplete: true,
          removeOnFail: true,
          stackTraceLimit: 0,
        },
      })),
    );
  };
  return {
    /**
     * Resolves once Redis has stored them; each is then retried until it is accepted, for more than two hours.
     *
     * @throws AppError REDIS_UNAVAILABLE within `timeoutMs`. OVERLOADED: too many are queued.
     */
    add: async (notifications: readonly NotificationJob[]): Promise<void> => {
      try {
        await within(put(notifications), timeoutMs);
      } catch (cause) {
        if (cause instanceof AppError) throw cause;
        throw new AppError("REDIS_UNAVAILABLE", { detail: "a user notification could not be stored", cause });
      }
    },
  };
}

export type NotificationQueue = ReturnType<typeof createNotificationQueue>;
