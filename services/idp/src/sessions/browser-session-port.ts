/** What the provider stores about one client in a session. */
export interface SessionAuthorization {
  readonly sid: string;
  readonly grantId?: string;
}

/** Where and how a session started, for the list of signed-in devices. */
export interface SessionOrigin {
  readonly clientIp: string;
  readonly userAgent: string;
}

/** The second factor with which a session began. */
export interface SignInFactor {
  /** What it is recorded under in `Enrolments`. */
  readonly id: string;
  /** The minute since which it exists; absent if it was set up during an attack. */
  readonly since?: number;
  readonly isVouched: boolean;
}

/** One sign-in of one browser, kept on the server (ADR 0005). */
export interface BrowserSessionRecord {
  /** Never changes during the session; tokens and grants refer to it. */
  readonly uid: string;
  /** The cookie's value, which may be replaced. */
  readonly sid: string;
  /** OIDC `sub`. */
  readonly accountId: string;
  /** An identifier is mapped and this account has none: no application may receive a subject. */
  readonly lacksSubject?: boolean;
  /** Account name in the backend, that is, the mailbox name. */
  readonly account: string;
  readonly displayName?: string;
  readonly attributes?: Readonly<Record<string, readonly string[]>>;
  /** Names of the account's groups; absent if the backend provides none. */
  readonly groups?: readonly string[];
  readonly groupDns?: readonly string[];
  /** The number of the backend, as in `BackendKind`. */
  readonly backend?: number;
  /** Seconds since the epoch: `auth_time`. */
  readonly loginTs: number;
  readonly acr?: string;
  readonly amr?: readonly string[];
  /** When a second factor was last verified, in seconds since the epoch. */
  readonly mfaTs?: number;
  /** Absent without one, and from earlier versions. Setting one up does not change it. */
  readonly factor?: SignInFactor | undefined;
  /** It began while a suspicious sign-in was unanswered, or was one, without a factor from before: it never proves the user. */
  readonly isDoubted?: boolean;
  /** False: the cookie expires when the browser closes. */
  readonly remember: boolean;
  readonly origin?: SessionOrigin;
  /** Seconds since the epoch. */
  readonly iat: number;
  /** Absolute expiry in seconds since the epoch. */
  readonly exp: number;
  /** The keys are client ids. */
  readonly authorizations: Readonly<Record<string, SessionAuthorization>>;
  /** The provider's own state, opaque to all other code. */
  readonly oidcState?: Readonly<Record<string, unknown>>;
}

/** The fields of a session that the OIDC provider may change. */
export interface SessionChange {
  /** A new cookie value; the old one is valid for 10 s after it is retired. */
  readonly sid?: string;
  readonly authorizations?: Readonly<Record<string, SessionAuthorization>>;
  readonly oidcState?: Readonly<Record<string, unknown>>;
  readonly exp?: number;
  /** A client to disconnect. */
  readonly forgets?: string;
  /** A second factor was set up and thereby verified. */
  readonly mfaTs?: number;
  readonly amr?: readonly string[];
  readonly acr?: string;
}

/** Sessions as the OIDC provider sees them. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer. */
export interface BrowserSessions {
  findBySid(sid: string): Promise<BrowserSessionRecord | undefined>;
  findByUid(uid: string): Promise<BrowserSessionRecord | undefined>;
  /**
   * Merges the change into the current record; clients that other requests added in the meantime are kept.
   * @returns false for a session that has ended, which remains ended
   */
  merge(uid: string, change: SessionChange): Promise<boolean>;
  /** Retires a replaced cookie value: it is valid for another 10 s, for requests in flight. */
  retire(sid: string): Promise<void>;
}
