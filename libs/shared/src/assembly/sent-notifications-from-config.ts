import { createSentNotifications, type SentNotifications } from "../domain/sent-notifications/index.ts";
import type { Config } from "../platform/config/index.ts";
import type { RedisClient } from "../platform/redis/client.ts";
import { keyRingFromConfig } from "./key-ring-from-config.ts";

/** `redis` is of the role `state`. Undefined while no user notifications are sent, or without a secret that encrypts the records. */
export function sentNotificationsFromConfig(config: Config, redis: RedisClient): SentNotifications | undefined {
  const keys = config.identity.notices.enabled ? keyRingFromConfig(config, "sent-notice") : undefined;
  return keys && createSentNotifications(redis, config.storage.redis.prefix, keys);
}
