import type { Secret } from "../crypto/secret.ts";
import type { NoticeJob } from "../jobs/notice-job.ts";
import type { DeliverNotice } from "../jobs/notice-worker.ts";
import { type MailServer, sendMail } from "../mail/send-mail.ts";
import type { Clock } from "../time/index.ts";
import { webhookHeaders } from "./webhook.ts";

export interface NoticeDeliverySettings {
  /** Undefined: no longer configured, and what waits for it is given up. */
  readonly webhook: { readonly url: string; readonly secret: Secret; readonly timeoutMs: number } | undefined;
  readonly mail: { readonly server: MailServer; readonly from: string; readonly timeoutMs: number } | undefined;
}

interface Sending {
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

type Outcome = Awaited<ReturnType<DeliverNotice>>;

/** RFC 9110: what says "later", although it is in the 400s. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

async function post(
  { id, body }: Extract<NoticeJob, { channel: "webhook" }>,
  { url, secret, timeoutMs }: NonNullable<NoticeDeliverySettings["webhook"]>,
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
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  await response.body?.cancel();
  const { status } = response;
  if (status >= 200 && status < 300) return "delivered";
  if (status >= 400 && status < 500 && !passing.has(status)) return "refused";
  throw new Error(`the receiver answered ${status}`);
}

/** RFC 5321 §4.2.1: the address or the message is refused for good; a login that fails may be repaired. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, responseCode } = Object(error);
  return (code === "EENVELOPE" || code === "EMESSAGE") && Number(responseCode) >= 500;
}

async function mail(
  { id, to, subject, text }: Extract<NoticeJob, { channel: "mail" }>,
  { server, from, timeoutMs }: NonNullable<NoticeDeliverySettings["mail"]>,
  signal: AbortSignal,
): Promise<Outcome> {
  const domain = from.replace(/^.*@/, "").replace(/[^\w.-].*$/, "");
  // The same at every attempt, so that a mailbox that got it before may drop it; RFC 3834 for those who would reply.
  const headers = { "Auto-Submitted": "auto-generated" };
  try {
    await sendMail(server, { from, to, subject, text, messageId: `<${id}@${domain}>`, headers }, { timeoutMs, signal });
    return "delivered";
  } catch (error) {
    if (isRefusal(error)) return "refused";
    throw error;
  }
}

/** Sends one notice its way. Rejects where trying again may help. */
export function createDeliverNotice(settings: NoticeDeliverySettings, clock: Clock): DeliverNotice {
  const { webhook, mail: mailing } = settings;
  return async (notice, signal) => {
    if (notice.channel === "webhook")
      return webhook === undefined ? "refused" : post(notice, webhook, { signal, clock });
    return mailing === undefined ? "refused" : mail(notice, mailing, signal);
  };
}
