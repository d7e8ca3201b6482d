/** What the provider keeps of one client in a session. */
export interface SessionAuthorization {
  readonly sid: string;
  readonly grantId?: string;
}

/** Where and how a session began, for the list of signed-in devices. */
export interface SessionOrigin {
  readonly clientIp: string;
  readonly userAgent: string;
}

/** One sign-in of one browser, kept on the server (design decision 11). */
export interface BrowserSessionRecord {
  /** Stable for the life of the sign-in; tokens and grants refer to it. */
  readonly uid: string;
  /** The cookie's value. It may rotate, `uid` does not. */
  readonly sid: string;
  /** OIDC `sub`. */
  readonly accountId: string;
  /** Account name of the directory, that is the mailbox name. */
  readonly account: string;
  readonly displayName?: string;
  readonly attributes?: Readonly<Record<string, readonly string[]>>;
  /** The contract's backend integer. */
  readonly backend?: number;
  /** Seconds since the epoch: `auth_time`. */
  readonly loginTs: number;
  readonly acr?: string;
  readonly amr?: readonly string[];
  /** Seconds since the epoch at which a second factor was shown last. */
  readonly mfaTs?: number;
  /** False: the cookie ends with the browser. */
  readonly remember: boolean;
  readonly origin?: SessionOrigin;
  /** Seconds since the epoch. */
  readonly iat: number;
  /** Seconds since the epoch: the absolute end. */
  readonly exp: number;
  /** By client id. */
  readonly authorizations: Readonly<Record<string, SessionAuthorization>>;
  /** The provider's own state, opaque to everybody else. */
  readonly oidcState?: Readonly<Record<string, unknown>>;
}

/** What the protocol core may change of a session. */
export interface SessionChange {
  /** A new cookie value; the old one lives 10 s more once it is retired. */
  readonly sid?: string;
  readonly authorizations?: Readonly<Record<string, SessionAuthorization>>;
  readonly oidcState?: Readonly<Record<string, unknown>>;
  readonly exp?: number;
  /** A client that is disconnected. */
  readonly forgets?: string;
  /** A second factor was set up, and by that shown. */
  readonly mfaTs?: number;
  readonly amr?: readonly string[];
  readonly acr?: string;
}

/** Sessions as the protocol core sees them. All throw AppError `REDIS_UNAVAILABLE` when nobody could decide. */
export interface BrowserSessions {
  findBySid(sid: string): Promise<BrowserSessionRecord | undefined>;
  findByUid(uid: string): Promise<BrowserSessionRecord | undefined>;
  /**
   * Merges the change into the record as it is now; clients that others added meanwhile stay.
   * @returns false for a session that has ended: it stays ended
   */
  merge(uid: string, change: SessionChange): Promise<boolean>;
  /** The cookie value was replaced: it lives 10 s more, for requests under way. */
  retire(sid: string): Promise<void>;
}
