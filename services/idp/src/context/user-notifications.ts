import { type Base, redisFromConfig } from "@postern/shared/assembly";
import { accountNotified, pathTo } from "@postern/shared/contracts";
import type { Bus } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import type { IdpMetrics } from "../metrics.ts";
import type { KnownDevices } from "../user-notifications/known-devices.ts";
import { createKnownDevices } from "../user-notifications/known-devices-redis.ts";
import { createNotifier, type Notifier } from "../user-notifications/notifier.ts";
import { notificationQueueOf } from "./notification-queue.ts";

export interface NotificationsContext {
  readonly notifier: Notifier;
  readonly devices: KnownDevices;
  /** Waits for notifications that are being queued, then disconnects from Redis. */
  close(): Promise<void>;
}

export interface NotificationsParts {
  readonly base: Base;
  readonly bus: Bus;
  readonly state: RedisClient;
  readonly metrics: IdpMetrics;
}

/** Loaded only if `identity.notices.enabled` is on; undefined without the secret that encrypts queued notifications. */
export function createNotificationsContext(
  config: Config,
  parts: NotificationsParts,
): NotificationsContext | undefined {
  const { base, bus, state, metrics } = parts;
  const { notices: notifications, frontend, oidc } = config.identity;
  const redis = redisFromConfig(config, "queue", base);
  const queue = notificationQueueOf(config, { redis, logger: base.logger });
  if (queue === undefined) return undefined;
  const devices = createKnownDevices({ redis: state, keyPrefix: config.storage.redis.prefix, clock: systemClock });
  const notifier = createNotifier({
    settings: {
      events: new Set(notifications.events),
      toWebhook: notifications.webhook.url !== "",
      mail:
        notifications.mail.server === ""
          ? undefined
          : {
              brand: frontend.branding.name,
              link: `${oidc.issuer}${pathTo("registrationHome")}`,
              addressAttribute: notifications.mail.address_attribute,
            },
    },
    queue,
    devices,
    publish: (notification) => bus.publish(accountNotified, notification),
    count: (event, result) => metrics.notified(event, result),
    logger: base.logger,
    nowMs: () => systemClock.now(),
  });
  return {
    notifier,
    devices,
    close: async () => {
      await notifier.close();
      redis.disconnect();
    },
  };
}
