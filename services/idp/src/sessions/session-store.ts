import type { BrowserSessionRecord, BrowserSessions } from "./browser-session-port.ts";

/** What a sign-in tells; the store chooses ids and times. */
export type NewSession = Pick<
  BrowserSessionRecord,
  | "accountId"
  | "account"
  | "displayName"
  | "attributes"
  | "backend"
  | "loginTs"
  | "acr"
  | "amr"
  | "mfaTs"
  | "remember"
  | "origin"
>;

export interface ListedSession extends BrowserSessionRecord {
  /** Milliseconds since the epoch, true to a minute. */
  readonly lastSeenMs: number;
}

/** Lifetimes in milliseconds (`identity.session.*`). */
export interface SessionLives {
  readonly absoluteMs: number;
  readonly idleMs: number;
  /** Of a remembered session, absolute and idle; 0 offers no remembering. */
  readonly rememberMs: number;
}

/** All browser sessions. Everything throws AppError `REDIS_UNAVAILABLE` when nobody could decide. */
export interface SessionStore extends BrowserSessions {
  create(session: NewSession): Promise<BrowserSessionRecord>;
  /** The same user signed in again: one session with a new cookie value. @returns undefined when it has ended */
  renew(uid: string, session: NewSession): Promise<BrowserSessionRecord | undefined>;
  /** Ends one session: its next request finds none. @returns it as it ended, with every client it knew */
  end(uid: string): Promise<BrowserSessionRecord | undefined>;
  /** Ends every session of an account. @returns those that lived */
  endAll(account: string): Promise<readonly BrowserSessionRecord[]>;
  /** The newest first; at most 100. */
  list(account: string): Promise<readonly ListedSession[]>;
}
