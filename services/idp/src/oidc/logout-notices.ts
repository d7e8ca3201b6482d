import type { Claimed, NoticeQueue } from "../logout-notices/notice-queue.ts";

/** What a client must be told: its user, or one session of the user, is signed out (Back-Channel Logout 1.0 §2.4). */
export interface LogoutNotice {
  readonly clientId: string;
  readonly sub: string;
  /** The session as the client's ID tokens named it; absent: every session of the user. */
  readonly sid?: string;
}

export type ClaimedNotice = Claimed<LogoutNotice>;
export type LogoutNotices = NoticeQueue<LogoutNotice>;

/** A notice waits as long as the longest session that it can be about is worth knowing of. */
export const noticeLifeSeconds = 86_400;
