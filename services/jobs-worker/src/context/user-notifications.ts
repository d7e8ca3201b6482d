import { keyRingFromConfig } from "@postern/shared/assembly";
import { createSentNotifications } from "@postern/shared/domain/history";
import type { Config } from "@postern/shared/platform/config";
import { systemClock } from "@postern/shared/platform/time";
import { createDeliverNotification } from "../user-notifications/deliver-notification.ts";
import { deliverySettings } from "../user-notifications/delivery-settings.ts";
import { createNotificationEvents } from "../user-notifications/notification-events.ts";
import { createNotificationWorker, type NotificationWorker } from "../user-notifications/notification-worker.ts";
import type { WorkerParts } from "./parts.ts";

/** Limits how many deliveries a hung receiver can occupy. */
const notificationsAtOnce = 16;
/** Most deliveries take less. */
const longestFinishMs = 2000;

export function startNotifications(config: Config, parts: WorkerParts): NotificationWorker | undefined {
  const keys = keyRingFromConfig(config, "notice");
  const sentKeys = keyRingFromConfig(config, "sent-notice");
  const { prefix: keyPrefix } = config.storage.redis;
  const { notificationsBlocking } = parts.redis;
  if (keys === undefined || notificationsBlocking === undefined) return undefined;
  return createNotificationWorker({
    redis: notificationsBlocking,
    keyPrefix,
    keys,
    concurrency: notificationsAtOnce,
    deliver: createDeliverNotification(deliverySettings(config), systemClock),
    events: createNotificationEvents(parts),
    sent: sentKeys && createSentNotifications({ redis: parts.redis.state, keyPrefix, keys: sentKeys }),
    nowMs: () => systemClock.now(),
    // Aborted deliveries are queued again, which also takes part of the shutdown grace period.
    finishMs: Math.min(longestFinishMs, config.runtime.timeouts.shutdown_grace / 2),
  });
}
