import { keyRingFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import type { Logger } from "@postern/shared/platform/logging";
import type { RedisClient } from "@postern/shared/platform/redis";
import { createNotificationQueue, type NotificationQueue } from "../user-notifications/notification-queue-redis.ts";

/** Added to Redis's command timeout, for commands that have not been sent yet. */
const marginMs = 500;

/**
 * The queue of user notifications; `redis` is of the role `queue`. Undefined if no secret is configured to encrypt them.
 */
export function notificationQueueOf(
  config: Config,
  { redis, logger }: { readonly redis: RedisClient; readonly logger: Logger },
): NotificationQueue | undefined {
  const keys = keyRingFromConfig(config, "notice");
  if (keys === undefined) return undefined;
  const { prefix: keyPrefix, write_timeout: writeTimeoutMs } = config.storage.redis;
  return createNotificationQueue({
    redis,
    keyPrefix,
    keys,
    maxQueued: config.runtime.jobs.max_queued,
    timeoutMs: writeTimeoutMs + marginMs,
    onError: (err) => logger.debug({ err }, "user notification queue error"),
  });
}
