import type { Config } from "../../config/index.ts";
import type { KeyRing } from "../../crypto/key-ring.ts";
import { Secret } from "../../crypto/secret.ts";
import { createNoticeQueue, type NoticeQueue } from "../../jobs/notice-queue.ts";
import type { Logger } from "../../logging/logger.ts";
import type { NoticeDeliverySettings } from "../../notices/deliver-notice.ts";
import type { RedisClient } from "../../redis/client.ts";
import { keyRingFromConfig } from "../key-ring-from-config.ts";

/** Beyond the time that Redis has for a command, for those that are not sent yet. */
const marginMs = 500;

export function noticeKeysFromConfig(config: Config): KeyRing | undefined {
  return keyRingFromConfig(config, "notice");
}

/** Where notices are put; `redis` is of the role `queue`. Undefined while no secret is configured to seal them. */
export function noticeQueueFromConfig(
  config: Config,
  { redis, logger }: { readonly redis: RedisClient; readonly logger: Logger },
): NoticeQueue | undefined {
  const keys = noticeKeysFromConfig(config);
  if (keys === undefined) return undefined;
  const { prefix, write_timeout: writeTimeoutMs } = config.storage.redis;
  return createNoticeQueue({
    redis,
    prefix,
    keys,
    maxQueued: config.runtime.jobs.max_queued,
    timeoutMs: writeTimeoutMs + marginMs,
    onError: (err) => logger.debug({ err }, "the queue of notices told an error"),
  });
}

/** How they are sent. */
export function noticeDeliveryFromConfig({ identity }: Config): NoticeDeliverySettings {
  const { enabled, webhook, mail } = identity.notices;
  const { hostname, port } = new URL(`smtp://${mail.server === "" ? "none:25" : mail.server}`);
  const auth = mail.username === "" ? undefined : { user: mail.username, pass: mail.password };
  // An IPv6 address is written in brackets, and meant without.
  const server = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port), tls: mail.tls, auth };
  return {
    webhook:
      enabled && webhook.url !== ""
        ? { url: webhook.url, secret: new Secret(webhook.secret), timeoutMs: webhook.timeout }
        : undefined,
    mail: enabled && mail.server !== "" ? { server, from: mail.from, timeoutMs: mail.timeout } : undefined,
  };
}
