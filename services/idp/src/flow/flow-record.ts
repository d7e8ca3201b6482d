import type { FlowKind, FlowState } from "./flow-table.ts";

/** Who asks for the sign-in: an OIDC client or a SAML service provider. */
export interface FlowClient {
  readonly id: string;
  readonly name?: string;
  readonly logoUri?: string;
  readonly policyUri?: string;
  readonly tosUri?: string;
  readonly skipConsent: boolean;
  readonly requiredMfaLevel?: string;
  /** Factors that its users must have set up. */
  readonly requireMfa?: readonly string[];
  readonly supportedMfa?: readonly string[];
  /** What each factor is worth to this application. */
  readonly mfaLevels?: Readonly<Record<FactorMethod, number>>;
  readonly delayedResponse?: boolean;
}

export interface FlowParams {
  readonly scope?: string;
  readonly loginHint?: string;
  readonly uiLocales?: string;
  readonly acrValues?: string;
  readonly claims?: string;
  /** Where the protocol sends the browser in the end; pages allow a form to lead there. */
  readonly redirectUri?: string;
  readonly state?: string;
}

/** What a consent page asks for. */
export interface FlowMissing {
  readonly scopes: readonly string[];
  readonly claims: readonly string[];
  readonly resources: Readonly<Record<string, readonly string[]>>;
}

export type FactorMethod = "totp" | "webauthn" | "recovery";

/** A password that was right, while its second factor is awaited. */
export interface PendingSignIn {
  readonly account: string;
  /** The name that was typed, where the account's own must not be told yet. */
  readonly shownAs?: string;
  readonly displayName?: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  readonly backend: number;
  readonly remember: boolean;
  /** Seconds since the epoch. */
  readonly passwordTs: number;
  /** The ways that are enrolled and allowed. */
  readonly methods: readonly FactorMethod[];
  /** What is to be set up before the sign-in goes on. */
  readonly missing?: readonly FactorMethod[];
}

/** One errand of one browser tab. Nothing of it is in the browser but its id. */
export interface FlowRecord {
  readonly id: string;
  readonly kind: FlowKind;
  readonly state: FlowState;
  /** Rises with every move; a move counts only for the version that it was decided on. */
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
  /** Who is signed in already. */
  readonly accountId?: string;
  /** Of a device code. */
  readonly deviceKey?: string;
  /** A path of ours to which a self-service flow leads. */
  readonly returnTo?: string;
  readonly pending?: PendingSignIn;
  /** The last attempt was refused: the first page says so. */
  readonly hasFailed?: boolean;
  /** The session that this flow's sign-in made. */
  readonly sessionUid?: string;
}
