import { createNotificationQueue, type NotificationQueue } from "../../domain/jobs/notification-queue.ts";
import type { Config } from "../../platform/config/index.ts";
import type { KeyRing } from "../../platform/crypto/key-ring.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { keyRingFromConfig } from "../key-ring-from-config.ts";

/** Added to Redis's command timeout, for commands that have not been sent yet. */
const marginMs = 500;

export function notificationKeysFromConfig(config: Config): KeyRing | undefined {
  return keyRingFromConfig(config, "notice");
}

/**
 * The queue of user notifications; `redis` is of the role `queue`. Undefined if no secret is configured to encrypt them.
 */
export function notificationQueueFromConfig(
  config: Config,
  { redis, logger }: { readonly redis: RedisClient; readonly logger: Logger },
): NotificationQueue | undefined {
  const keys = notificationKeysFromConfig(config);
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
