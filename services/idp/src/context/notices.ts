import { type Base, redisFromConfig } from "@postern/shared/assembly";
import { noticeQueueFromConfig } from "@postern/shared/assembly/jobs";
import type { Bus } from "@postern/shared/bus";
import type { Config } from "@postern/shared/config";
import { accountNoticed } from "@postern/shared/contracts";
import type { RedisClient } from "@postern/shared/redis";
import { systemClock } from "@postern/shared/time";
import type { IdpMetrics } from "../metrics.ts";
import { createKnownDevices } from "../notices/known-devices-redis.ts";
import { createNotifier, type Notifier } from "../notices/notifier.ts";

export interface NoticesContext {
  readonly notifier: Notifier;
  /** Waits for what is under way, then lets go of Redis. */
  close(): Promise<void>;
}

export interface NoticesParts {
  readonly base: Base;
  readonly bus: Bus;
  readonly state: RedisClient;
  readonly metrics: IdpMetrics;
}

/** Loaded only while `identity.notices.enabled` is on; undefined without a secret that seals notices. */
export function createNoticesContext(config: Config, parts: NoticesParts): NoticesContext | undefined {
  const { base, bus, state, metrics } = parts;
  const { notices, frontend, oidc } = config.identity;
  const redis = redisFromConfig(config, "queue", base);
  const queue = noticeQueueFromConfig(config, { redis, logger: base.logger });
  if (queue === undefined) return undefined;
  const notifier = createNotifier({
    settings: {
      events: new Set(notices.events),
      toWebhook: notices.webhook.url !== "",
      mail:
        notices.mail.server === ""
          ? undefined
          : {
              brand: frontend.branding.name,
              link: `${oidc.issuer}/mfa/register/home`,
              addressAttribute: notices.mail.address_attribute,
            },
    },
    queue,
    devices: createKnownDevices({ redis: state, prefix: config.storage.redis.prefix, clock: systemClock }),
    publish: (notice) => bus.publish(accountNoticed, notice),
    count: (event, result) => metrics.noticed(event, result),
    logger: base.logger,
    nowMs: () => systemClock.now(),
  });
  return {
    notifier,
    close: async () => {
      await notifier.close();
      redis.disconnect();
    },
  };
}
