import type { NotificationJob } from "@postern/shared/domain/jobs";
import { abortAfter } from "@postern/shared/platform/concurrency";
import type { Secret } from "@postern/shared/platform/crypto";
import { type MailServer, sendMail } from "@postern/shared/platform/mail";
import type { Clock } from "@postern/shared/platform/time";
import type { DeliverNotification } from "./notification-worker.ts";
import { webhookHeaders } from "./webhook.ts";

export interface NotificationDeliverySettings {
  /** Undefined if it is no longer configured: notifications queued for it fail. */
  readonly webhook: { readonly url: string; readonly secret: Secret; readonly timeoutMs: number } | undefined;
  readonly mail: { readonly server: MailServer; readonly from: string; readonly timeoutMs: number } | undefined;
}

interface Sending {
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

type Outcome = Awaited<ReturnType<DeliverNotification>>;

/** RFC 9110: statuses in the 400s that nevertheless allow a retry. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

async function post(
  { id, body }: Extract<NotificationJob, { channel: "webhook" }>,
  { url, secret, timeoutMs }: NonNullable<NotificationDeliverySettings["webhook"]>,
  { signal, clock }: Sending,
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
  // The same id at every attempt, so that a mailbox may drop duplicates; RFC 3834 prevents automatic replies.
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
export function createDeliverNotification(settings: NotificationDeliverySettings, clock: Clock): DeliverNotification {
  const { webhook, mail: mailing } = settings;
  return async (notification, signal) => {
    if (notification.channel === "webhook")
      return webhook === undefined ? "refused" : post(notification, webhook, { signal, clock });
    return mailing === undefined ? "refused" : mail(notification, mailing, signal);
  };
}
