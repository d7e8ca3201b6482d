import { randomUUID } from "node:crypto";
import { type Base, keyRingFromConfig, redisFromConfig } from "@postern/shared/assembly";
import { accountNotified, notifyLostPhone, notifySuspiciousSignIn, pathTo } from "@postern/shared/contracts";
import { languages, pickLanguage } from "@postern/shared/domain/localisation";
import type { Bus } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import type { Logger } from "@postern/shared/platform/logging";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { type AccountDomains, domainLimit } from "../domains/account-domains.ts";
import type { IdpMetrics } from "../metrics.ts";
import { ownLanguage } from "../pages/context.ts";
import { createKnownDevices } from "./known-devices-redis.ts";
import { createNotificationQueue, type NotificationQueue } from "./notification-queue-redis.ts";
import { createNotifier, type Notifier } from "./notifier.ts";

/** Added to Redis's command timeout, for commands that have not been sent yet. */
const marginMs = 500;

/** Undefined if no secret is configured to encrypt queued notifications. */
function createQueue(config: Config, redis: RedisClient, logger: Logger): NotificationQueue | undefined {
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

const maxSuspicious = 64;

/** Engines notice suspicious sign-ins; one identity provider notifies. There may have been no page, and so no choice of a language. */
function serveSuspicious(bus: Bus, { store }: Notifier, frontend: Config["identity"]["frontend"]): void {
  const offered = languages.filter(({ tag }) => frontend.localization.languages.includes(tag));
  const fallback = ownLanguage(frontend);
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

/** An operator creates a code for a user who lost the second factor. The operator reads it out only after this is stored. */
function serveLostPhone(bus: Bus, { store }: Notifier, frontend: Config["identity"]["frontend"]): void {
  const language = ownLanguage(frontend);
  bus.serve(
    notifyLostPhone,
    async ({ account, session, attributes }) => {
      const origin = { clientIp: "", userAgent: "", language, attributes };
      const about = { event: "lost_phone_code", account, session, origin, isDoubted: true, operatorText: "" } as const;
      return { isSent: (await store(about, { id: randomUUID(), atMs: systemClock.now() })) > 0 };
    },
    { maxInFlight: maxSuspicious },
  );
}

/** Which accounts the webhook gets notifications about. While a record cannot be read, the domain counts as the account's name spells it. */
function webhookLimit({ url, domains: names }: Config["identity"]["notices"]["webhook"], domains: AccountDomains) {
  const limit = domainLimit(names);
  if (url === "" || limit.size === 0) return () => url !== "";
  return (account: string) => domains.isWithin(account, limit).catch(() => limit.has(domains.nameOf(account) ?? ""));
}

export interface NotificationParts {
  readonly base: Base;
  readonly bus: Bus;
  readonly state: RedisClient;
  readonly metrics: IdpMetrics;
  readonly domains: AccountDomains;
}

/** Loaded only if `identity.notices.enabled` is on; undefined without the secret that encrypts queued notifications. */
export function createNotifications(config: Config, { base, bus, state, metrics, domains }: NotificationParts) {
  const { notices: notifications, frontend, oidc } = config.identity;
  const redis = redisFromConfig(config, "queue", base);
  const queue = createQueue(config, redis, base.logger);
  if (queue === undefined) return undefined;
  const devices = createKnownDevices(state, config.storage.redis.prefix, systemClock);
  const notifier = createNotifier({
    settings: {
      events: new Set(notifications.events),
      isForWebhook: webhookLimit(notifications.webhook, domains),
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
    domainOf: async (account) => {
      // Without the record, users get the mail in the name of the site.
      const domain = await domains.of(account).catch(() => undefined);
      return { name: domain?.name || domains.nameOf(account), brand: domain?.record?.brand.name || undefined };
    },
    // Earlier versions on the bus reject these events.
    publish: ({ event, ...rest }) =>
      event === "suspicious_sign_in" ||
      event === "account_suspended" ||
      event === "account_resumed" ||
      event === "lost_phone_code" ||
      event === "lost_phone_code_used" ||
      bus.publish(accountNotified, { ...rest, event }),
    count: (event, result) => metrics.notified(event, result),
    logger: base.logger,
    nowMs: () => systemClock.now(),
  });
  serveSuspicious(bus, notifier, frontend);
  serveLostPhone(bus, notifier, frontend);
  return {
    notifier,
    language: ownLanguage(frontend),
    devices,
    /** Waits for notifications that are being queued, then disconnects from Redis. */
    close: async (): Promise<void> => {
      await notifier.close();
      redis.disconnect();
    },
  };
}

export type NotificationsContext = NonNullable<ReturnType<typeof createNotifications>>;
