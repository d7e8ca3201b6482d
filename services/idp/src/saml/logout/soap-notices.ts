import type { Claimed, NoticeQueue, NoticeTimes } from "../../logout-notices/notice-queue.ts";
import type { Participant } from "./participants.ts";

/** What a service provider must be told by SOAP. */
export interface SoapNotice extends Participant {
  /** Milliseconds since the epoch: the session's end. */
  readonly endedMs: number;
  /** The page that waits for it, where there is one. */
  readonly journey?: { readonly id: string; readonly index: number };
}

export type ClaimedSoapNotice = Claimed<SoapNotice>;
export type SoapNotices = NoticeQueue<SoapNotice>;

/** One attempt with its repetitions ends within twelve seconds (`back-channel.ts`); the lease is longer. */
export const soapTimes: NoticeTimes = { timeoutMs: 5000, firstDelayMs: 1000, longestDelayMs: 60_000 };

/** How long a service provider that does not answer is told again. */
export const giveUpAfterMs = 86_400_000;
