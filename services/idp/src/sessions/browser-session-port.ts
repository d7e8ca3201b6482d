/** What a browser session holds of one client. */
export interface SessionAuthorization {
  /** The `sid` of its ID and logout tokens. */
  readonly sid?: string | undefined;
  readonly grantId?: string | undefined;
  /** Its tokens outlive the session. */
  readonly persistsLogout?: boolean | undefined;
}

/** A browser that is signed in, as the protocols see it. */
export interface BrowserSessionRecord {
  /** Stable for the life of the sign-in; tokens and grants refer to it. */
  readonly uid: string;
  /** What the cookie holds; it may rotate. */
  readonly sid: string;
  /** `sub` of tokens. */
  readonly accountId: string;
  /** Epoch seconds: `auth_time`. */
  readonly loginTs: number;
  readonly acr?: string | undefined;
  readonly amr?: readonly string[] | undefined;
  readonly remember: boolean;
  readonly iat: number;
  /** Its absolute end, epoch seconds. */
  readonly exp: number;
  readonly authorizations: Readonly<Record<string, SessionAuthorization>>;
  readonly oidcState?: Readonly<Record<string, unknown>> | undefined;
}

export interface SessionChange {
  readonly sid?: string | undefined;
  readonly authorizations?: Readonly<Record<string, SessionAuthorization>> | undefined;
  readonly oidcState?: Readonly<Record<string, unknown>> | undefined;
}

/** The browser sessions, as the OIDC core needs them. All reject when the store cannot be asked. */
export interface BrowserSessions {
  findBySid(sid: string): Promise<BrowserSessionRecord | undefined>;
  findByUid(uid: string): Promise<BrowserSessionRecord | undefined>;
  /** Writes nothing where no session is. */
  merge(uid: string, change: SessionChange): Promise<void>;
  /** The cookie's value was replaced; the old one lives some seconds more, for tabs that still send it. */
  retire(sid: string): Promise<void>;
}
