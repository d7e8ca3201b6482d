import type { Config } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import type { NotificationDeliverySettings } from "./deliver-notification.ts";

/** How user notifications are sent. */
export function deliverySettings({ identity }: Config): NotificationDeliverySettings {
  const { enabled, webhook, mail } = identity.notices;
  const { hostname, port } = new URL(`smtp://${mail.server === "" ? "none:25" : mail.server}`);
  const auth = mail.username === "" ? undefined : { user: mail.username, pass: mail.password };
  // The configuration writes an IPv6 address in brackets; sockets need it without.
  const server = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port), tls: mail.tls, auth };
  return {
    webhook:
      enabled && webhook.url !== ""
        ? { url: webhook.url, secret: new Secret(webhook.secret), timeoutMs: webhook.timeout }
        : undefined,
    mail: enabled && mail.server !== "" ? { server, from: mail.from, timeoutMs: mail.timeout } : undefined,
  };
}
