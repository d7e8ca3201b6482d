import type { FlowKind, FlowState } from "./flow-table.ts";

/** The application that requests the sign-in: an OIDC client or a SAML service provider. */
export interface FlowClient {
  readonly id: string;
  readonly name?: string;
  readonly logoUri?: string;
  readonly policyUri?: string;
  readonly tosUri?: string;
  /** Where a sign-in in the application starts; only of clients that the site has configured. */
  readonly startUri?: string;
  readonly skipConsent: boolean;
  readonly requiredMfaLevel?: string;
  /** Factors that its users must have set up. */
  readonly requireMfa?: readonly string[];
  readonly supportedMfa?: readonly string[];
  /** The level of each factor for this application. */
  readonly mfaLevels?: Readonly<Record<FactorMethod, number>>;
  readonly delayedResponse?: boolean;
  /** The client registered itself, so that its name is unverified. */
  readonly isUnverified?: boolean;
}

export interface FlowParams {
  readonly scope?: string;
  readonly loginHint?: string;
  readonly uiLocales?: string;
  readonly acrValues?: string;
  readonly claims?: string;
  /** Where the protocol finally redirects the browser; the pages' CSP allows forms to lead there. */
  readonly redirectUri?: string;
  readonly state?: string;
}

/** What the user must consent to. */
export interface FlowMissing {
  readonly scopes: readonly string[];
  readonly claims: readonly string[];
  readonly resources: Readonly<Record<string, readonly string[]>>;
}

export type FactorMethod = "totp" | "webauthn" | "recovery";

/** What the backend says about a password that must soon be changed. */
export interface PasswordWarning {
  /** The password has expired, and admits the user this many times more. */
  readonly graceLoginsLeft?: number;
  readonly expiresInSeconds?: number;
}

/** A sign-in whose password was correct and whose second factor is still missing. */
export interface PendingSignIn {
  readonly account: string;
  /** The mapped identifier; empty if the account has none, absent if no identifier is mapped. */
  readonly uniqueUserId?: string;
  /** The name that the user typed, if the account's own name must not be shown yet. */
  readonly shownAs?: string;
  readonly displayName?: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  /** Names of the account's groups; absent if the backend provides none. */
  readonly groups?: readonly string[];
  readonly groupDns?: readonly string[];
  readonly passwordWarning?: PasswordWarning;
  readonly backend: number;
  readonly remember: boolean;
  /** It looks as if someone else had the password. */
  readonly isSuspicious?: boolean;
  /** Seconds since the epoch. */
  readonly passwordTs: number;
  /** The factors that are enrolled and allowed. */
  readonly methods: readonly FactorMethod[];
  /** Factors to set up before the sign-in can continue. */
  readonly missing?: readonly FactorMethod[];
}

/** One sign-in of one browser tab. The browser knows only its id. */
export interface FlowRecord {
  readonly id: string;
  readonly kind: FlowKind;
  readonly state: FlowState;
  /** Rises with every move. A move is valid only for the version on which it was decided. */
  readonly version: number;
  /** SHA-256 of the browser's flow cookie, base64url. */
  readonly browser: string;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
  readonly prompt?: "login" | "consent" | "select_account";
  readonly reasons?: readonly string[];
  readonly client?: FlowClient;
  readonly params?: FlowParams;
  readonly missing?: FlowMissing;
  readonly languageTag?: string;
  /** Name of the account that is already signed in. */
  readonly accountId?: string;
  /** From a device code. */
  readonly deviceKey?: string;
  /** Path of the identity provider to which a self-service flow leads. */
  readonly returnTo?: string;
  readonly pending?: PendingSignIn;
  /** The last attempt failed, which the first page says. */
  readonly hasFailed?: boolean;
  /** Reference of that attempt, for the user to report. */
  readonly failedReference?: string;
  /** The session that this flow's sign-in created. */
  readonly sessionUid?: string;
}
