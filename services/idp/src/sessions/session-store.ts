import type { BrowserSessionRecord, BrowserSessions } from "./browser-session-port.ts";

/** What a sign-in supplies; the store chooses ids and times. */
export type NewSession = Pick<
  BrowserSessionRecord,
  | "accountId"
  | "lacksSubject"
  | "account"
  | "displayName"
  | "attributes"
  | "groups"
  | "groupDns"
  | "backend"
  | "loginTs"
  | "acr"
  | "amr"
  | "mfaTs"
  | "factor"
  | "isDoubted"
  | "remember"
  | "origin"
>;

export interface ListedSession extends BrowserSessionRecord {
  /** Milliseconds since the epoch, with a precision of one minute. */
  readonly lastSeenMs: number;
}

/** Lifetimes in milliseconds (`identity.session.*`). */
export interface SessionLives {
  readonly absoluteMs: number;
  readonly idleMs: number;
  /** Absolute and idle lifetime of a remembered session; with 0, remembering is not offered. */
  readonly rememberMs: number;
}

/** All browser sessions. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer. */
export interface SessionStore extends BrowserSessions {
  create(session: NewSession): Promise<BrowserSessionRecord>;
  /** The same user signed in again: renews the session with a new cookie value. @returns undefined if it has ended */
  renew(uid: string, session: NewSession): Promise<BrowserSessionRecord | undefined>;
  /** Ends one session. @returns its last version, with every client it had */
  end(uid: string): Promise<BrowserSessionRecord | undefined>;
  /** Ends every session of an account. @returns the sessions that were ended */
  endAll(account: string): Promise<readonly BrowserSessionRecord[]>;
  /** At most 100, the newest first. */
  list(account: string): Promise<readonly ListedSession[]>;
  /** All of them: for what must miss none. */
  listAll(account: string): Promise<readonly ListedSession[]>;
}
