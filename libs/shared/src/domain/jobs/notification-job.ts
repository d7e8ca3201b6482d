import { type Static, Type } from "typebox";
import { compileCheck } from "../../platform/bus/schema-check.ts";
import type { KeyRing } from "../../platform/crypto/key-ring.ts";
import { openRecord, sealRecord } from "../history/store.ts";

/** For the record of sent notifications; absent from earlier versions of idp. */
const subject = { account: Type.Optional(Type.String()), event: Type.Optional(Type.String()) };

const Webhook = Type.Object({
  ...subject,
  channel: Type.Literal("webhook"),
  /** Id of the user notification; the same at every attempt. */
  id: Type.String(),
  /** The body that is posted, as JSON text. */
  body: Type.String(),
});
const Mail = Type.Object({
  ...subject,
  channel: Type.Literal("mail"),
  id: Type.String(),
  to: Type.String(),
  subject: Type.String(),
  text: Type.String(),
});
const Job = Type.Union([Webhook, Mail]);

/** One user notification by one channel: the unit of a retry. */
export type NotificationJob = Static<typeof Job>;
export type NotificationChannel = NotificationJob["channel"];
export const notificationChannels = ["webhook", "mail"] as const satisfies readonly NotificationChannel[];

const job = compileCheck(Job);
const sealedData = compileCheck(Type.Object({ v: Type.String() }));

export function notificationJobId({ id, channel }: Pick<NotificationJob, "id" | "channel">): string {
  return `${id}-${channel}`;
}

/** Encrypted like all user data in Redis: it contains names, addresses and devices. */
export function sealNotification(keys: KeyRing, notification: NotificationJob): { readonly v: string } {
  return { v: sealRecord(keys, notificationJobId(notification), notification) };
}

/** Undefined for data that no key decrypts or that no version of Postern wrote. */
export function openNotification(keys: KeyRing, jobId: string, data: unknown): NotificationJob | undefined {
  if (!sealedData.accepts(data)) return undefined;
  const value = openRecord(keys, jobId, data.v);
  return job.accepts(value) ? value : undefined;
}
