import { type Static, Type } from "typebox";
import { compileCheck } from "../bus/schema-check.ts";
import type { KeyRing } from "../crypto/key-ring.ts";

const Webhook = Type.Object({
  channel: Type.Literal("webhook"),
  /** Of the notice; the same at every attempt. */
  id: Type.String(),
  /** What is posted, as JSON text. */
  body: Type.String(),
});
const Mail = Type.Object({
  channel: Type.Literal("mail"),
  id: Type.String(),
  to: Type.String(),
  subject: Type.String(),
  text: Type.String(),
});
const Job = Type.Union([Webhook, Mail]);

/** One notice by one way: what a retry repeats. */
export type NoticeJob = Static<typeof Job>;
export type NoticeChannel = NoticeJob["channel"];
export const noticeChannels = ["webhook", "mail"] as const satisfies readonly NoticeChannel[];

const job = compileCheck(Job);
const sealedData = compileCheck(Type.Object({ v: Type.String() }));

export function noticeJobId({ id, channel }: Pick<NoticeJob, "id" | "channel">): string {
  return `${id}-${channel}`;
}

/** Names, addresses and devices of users: sealed, as everything of theirs in Redis. */
export function sealNotice(keys: KeyRing, notice: NoticeJob): { readonly v: string } {
  return { v: keys.seal(JSON.stringify(notice), noticeJobId(notice)).toString("base64") };
}

/** Undefined for what no key opens, or no version of ours wrote. */
export function openNotice(keys: KeyRing, jobId: string, data: unknown): NoticeJob | undefined {
  if (!sealedData.accepts(data)) return undefined;
  const opened = keys.open(Buffer.from(data.v, "base64"), jobId);
  const value: unknown = opened === undefined ? undefined : JSON.parse(opened.toString("utf8"));
  return job.accepts(value) ? value : undefined;
}
