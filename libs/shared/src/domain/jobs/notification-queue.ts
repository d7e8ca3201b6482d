import { within } from "../../platform/concurrency/deadline.ts";
import type { KeyRing } from "../../platform/crypto/key-ring.ts";
import { AppError } from "../../platform/errors/index.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { notificationJobKey, notificationQueue } from "../../platform/redis/keys/jobs.ts";
import { createLazyQueue } from "./lazy-queue.ts";
import { type NotificationJob, notificationJobId, sealNotification } from "./notification-job.ts";

export interface NotificationQueueDeps {
  /** Of the role `queue`. */
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  readonly maxQueued: number;
  readonly timeoutMs: number;
  readonly onError: (error: unknown) => void;
}

export interface NotificationQueue {
  /**
   * Resolves once Redis has stored them; each is then retried until it is accepted, for more than two hours.
   *
   * @throws AppError REDIS_UNAVAILABLE within `timeoutMs`. OVERLOADED: too many are queued.
   */
  add(notifications: readonly NotificationJob[]): Promise<void>;
}

/** Retries after 0.5, 1, 2, 4 … s: more than two hours in total. */
const attempts = 15;
const firstBackoffMs = 500;

export function createNotificationQueue(deps: NotificationQueueDeps): NotificationQueue {
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
    add: async (notifications) => {
      try {
        await within(put(notifications), timeoutMs);
      } catch (cause) {
        if (cause instanceof AppError) throw cause;
        throw new AppError("REDIS_UNAVAILABLE", { detail: "a user notification could not be stored", cause });
      }
    },
  };
}
