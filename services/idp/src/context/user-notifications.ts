import { type Base, redisFromConfig } from "@postern/shared/assembly";
import { accountNotified, notifySuspiciousSignIn, pathTo } from "@postern/shared/contracts";
import type { Bus } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import type { IdpMetrics } from "../metrics.ts";
import { languageOf, languages, pickLanguage } from "../pages/languages.ts";
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

const maxSuspicious = 64;

/** Engines notice suspicious sign-ins; one identity provider notifies. There may have been no page, and so no choice of a language. */
function serveSuspicious(bus: Bus, { store }: Notifier, { localization }: Config["identity"]["frontend"]): void {
  const offered = languages.filter(({ tag }) => localization.languages.includes(tag));
  const fallback = languageOf(localization.default_language, languages);
  if (fallback === undefined) throw new RangeError(`no texts for ${localization.default_language}`);
  const noWishes = { chosen: undefined, kept: undefined, uiLocales: undefined };
  bus.serve(
    notifySuspiciousSignIn,
    async ({ id, atMs, ...about }) => {
      const { account, session, attributes, clientIp = "", userAgent = "", acceptLanguage } = about;
      const language = pickLanguage({ ...noWishes, acceptLanguage }, offered, fallback);
      const origin = { clientIp, userAgent, language, attributes };
      await store({ event: "suspicious_sign_in", account, session, origin }, { id, atMs });
      return {};
    },
    { maxInFlight: maxSuspicious },
  );
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
    // Earlier versions on the bus reject the event of a suspicious sign-in.
    publish: ({ event, ...rest }) => event === "suspicious_sign_in" || bus.publish(accountNotified, { ...rest, event }),
    count: (event, result) => metrics.notified(event, result),
    logger: base.logger,
    nowMs: () => systemClock.now(),
  });
  serveSuspicious(bus, notifier, frontend);
  return {
    notifier,
    devices,
    close: async () => {
      await notifier.close();
      redis.disconnect();
    },
  };
}
