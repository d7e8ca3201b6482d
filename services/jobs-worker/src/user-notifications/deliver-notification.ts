import { createHmac } from "node:crypto";
import type { NotificationJob } from "@postern/shared/domain/jobs";
import { abortAfter } from "@postern/shared/platform/concurrency";
import type { Config } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import { sendMail } from "@postern/shared/platform/mail";
import type { Clock } from "@postern/shared/platform/time";

const prefix = "whsec_";

/** A secret that begins with `whsec_` is base64; any other is used as written (Standard Webhooks). */
function keyOf(secret: Secret): Buffer {
  const text = secret.reveal();
  return text.startsWith(prefix) ? Buffer.from(text.slice(prefix.length), "base64") : Buffer.from(text, "utf8");
}

/**
 * Headers that authenticate the webhook and let the receiver detect repeats: HMAC-SHA256 over id, time of this attempt and body (Standard
 * Webhooks 1.0).
 */
export function webhookHeaders(
  { id, body }: { readonly id: string; readonly body: string },
  secret: Secret,
  nowSeconds: number,
): Readonly<Record<string, string>> {
  const signature = createHmac("sha256", keyOf(secret)).update(`${id}.${nowSeconds}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(nowSeconds), "webhook-signature": `v1,${signature}` };
}

/** How user notifications are sent. A channel that is not configured is undefined: notifications queued for it fail. */
export function deliverySettings({ identity }: Config) {
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

type NotificationDeliverySettings = ReturnType<typeof deliverySettings>;

/** `refused`: a retry would not help. */
type Outcome = "delivered" | "refused";

export type DeliverNotification = ReturnType<typeof createDeliverNotification>;

/** RFC 9110: statuses in the 400s that nevertheless allow a retry. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

async function post(
  { id, body }: Extract<NotificationJob, { channel: "webhook" }>,
  { url, secret, timeoutMs }: NonNullable<NotificationDeliverySettings["webhook"]>,
  signal: AbortSignal,
  clock: Clock,
): Promise<Outcome> {
  const response = await fetch(url, {
    method: "POST",
    redirect: "manual",
    headers: {
      "content-type": "application/json",
      ...webhookHeaders({ id, body }, secret, Math.floor(clock.now() / 1000)),
    },
    body,
    signal: abortAfter(timeoutMs, signal),
  });
  await response.body?.cancel();
  const { status } = response;
  if (status >= 200 && status < 300) return "delivered";
  if (status >= 400 && status < 500 && !passing.has(status)) return "refused";
  throw new Error(`the receiver returned status ${status}`);
}

/** RFC 5321 §4.2.1: the address or the message is rejected permanently; a failed login may be corrected. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, responseCode } = Object(error);
  return (code === "EENVELOPE" || code === "EMESSAGE") && Number(responseCode) >= 500;
}

async function mail(
  { id, to, subject, text }: Extract<NotificationJob, { channel: "mail" }>,
  { server, from, timeoutMs }: NonNullable<NotificationDeliverySettings["mail"]>,
  signal: AbortSignal,
): Promise<Outcome> {
  const domain = from.replace(/^.*@/, "").replace(/[^\w.-].*$/, "");
  // Every attempt has the same id, so that a mailbox may drop duplicates; RFC 3834 prevents automatic replies.
  const headers = { "Auto-Submitted": "auto-generated" };
  try {
    await sendMail(server, { from, to, subject, text, messageId: `<${id}@${domain}>`, headers }, { timeoutMs, signal });
    return "delivered";
  } catch (error) {
    if (isRefusal(error)) return "refused";
    throw error;
  }
}

/** Sends one user notification over its channel. Rejects if a retry may help. */
export function createDeliverNotification(settings: NotificationDeliverySettings, clock: Clock) {
  const { webhook, mail: mailing } = settings;
  return async (notification: NotificationJob, signal: AbortSignal): Promise<Outcome> => {
    if (notification.channel === "webhook")
      return webhook === undefined ? "refused" : post(notification, webhook, signal, clock);
    return mailing === undefined ? "refused" : mail(notification, mailing, signal);
  };
}
