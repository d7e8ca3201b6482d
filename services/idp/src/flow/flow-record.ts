import { Type } from "typebox";
import { Value } from "typebox/value";
import type { Stored } from "../redis/stored.ts";

const optional = Type.Optional;
const text = Type.String();
const texts = Type.Array(text);
const oneOf = <const Values extends string[]>(values: readonly [...Values]) => Type.Enum<Values>(values);

const Method = oneOf(["totp", "webauthn", "recovery"]);

const Client = Type.Object({
  id: text,
  name: optional(text),
  logoUri: optional(text),
  policyUri: optional(text),
  tosUri: optional(text),
  /** Where a sign-in in the application starts; only of clients that the site has configured. */
  startUri: optional(text),
  skipConsent: Type.Boolean(),
  requiredMfaLevel: optional(text),
  /** Factors that its users must have set up. */
  requireMfa: optional(texts),
  supportedMfa: optional(texts),
  /** The level of each factor for this application. */
  mfaLevels: optional(Type.Object({ totp: Type.Number(), webauthn: Type.Number(), recovery: Type.Number() })),
  delayedResponse: optional(Type.Boolean()),
  /** The only domains whose users may use it. */
  domains: optional(texts),
  /** The client registered itself, so that its name is unverified. */
  isUnverified: optional(Type.Boolean()),
});

const Params = Type.Object({
  scope: optional(text),
  loginHint: optional(text),
  uiLocales: optional(text),
  acrValues: optional(text),
  claims: optional(text),
  /** Where the protocol finally redirects the browser; the pages' CSP allows forms to lead there. */
  redirectUri: optional(text),
  state: optional(text),
});

const Missing = Type.Object({ scopes: texts, claims: texts, resources: Type.Record(text, texts) });

const Warning = Type.Object({
  /** The password has expired, and admits the user this many times more. */
  graceLoginsLeft: optional(Type.Integer()),
  expiresInSeconds: optional(Type.Integer()),
});

const Pending = Type.Object({
  account: text,
  /** The mapped identifier; empty if the account has none, absent if no identifier is mapped. */
  uniqueUserId: optional(text),
  /** The name that the user typed, if the account's own name must not be shown yet. */
  shownAs: optional(text),
  displayName: optional(text),
  attributes: Type.Record(text, texts),
  /** Names of the account's groups; absent if the backend provides none. */
  groups: optional(texts),
  groupDns: optional(texts),
  passwordWarning: optional(Warning),
  backend: Type.Integer(),
  remember: Type.Boolean(),
  /** It looks as if someone else had the password. */
  isSuspicious: optional(Type.Boolean()),
  /** Seconds since the epoch. */
  passwordTs: Type.Integer(),
  /** The factors that are enrolled and allowed. */
  methods: Type.Array(Method),
  /** Factors to set up before the sign-in can continue. */
  missing: optional(Type.Array(Method)),
  /** A code from the help desk may take the place of the second factor. */
  acceptsLostPhoneCode: optional(Type.Boolean()),
  /** What remembers the device, if its user wishes so at the second factor: an entry of the cookie, and a check of the password. */
  rememberable: optional(Type.Object({ entry: text, check: text })),
});

const Flow = Type.Object({
  id: text,
  kind: oneOf(["oidc", "saml", "device", "self_service"]),
  state: oneOf(["code", "login", "factor", "latched", "enrolment", "ready", "consent", "finished"]),
  /** SHA-256 of the browser's flow cookie, base64url. */
  browser: text,
  /** Milliseconds since the epoch. */
  expiresAtMs: Type.Number(),
  prompt: optional(oneOf(["login", "consent", "select_account"])),
  reasons: optional(texts),
  client: optional(Client),
  params: optional(Params),
  missing: optional(Missing),
  languageTag: optional(text),
  /** Name of the account that is already signed in. */
  accountId: optional(text),
  /** From a device code. */
  deviceKey: optional(text),
  /** A remembered device may take the place of the second factor. Flows of earlier versions always ask for it. */
  acceptsDevice: optional(Type.Boolean()),
  /** Path of the identity provider to which a self-service flow leads. */
  returnTo: optional(text),
  pending: optional(Pending),
  /** The last attempt failed, which the first page says. */
  hasFailed: optional(Type.Boolean()),
  /** Reference of that attempt, for the user to report. */
  failedReference: optional(text),
  /** The session that this flow's sign-in created. */
  sessionUid: optional(text),
});

export type FactorMethod = Stored<typeof Method>;
/** The application that requests the sign-in: an OIDC client or a SAML service provider. */
export type FlowClient = Stored<typeof Client>;
export type FlowParams = Stored<typeof Params>;
/** What the user must consent to. */
export type FlowMissing = Stored<typeof Missing>;
/** What the backend says about a password that must soon be changed. */
export type PasswordWarning = Stored<typeof Warning>;
/** A sign-in whose password was correct and whose second factor is still missing. */
export type PendingSignIn = Stored<typeof Pending>;

/** One sign-in of one browser tab. The browser knows only its id. */
export type FlowRecord = Stored<typeof Flow> & {
  /** Rises with every move. A move is valid only for the version on which it was decided. */
  readonly version: number;
};

/** A reason for a flow: the account that is signed in may not use the application, because of its domain. */
export const otherDomain = "other_domain";

/** Reads a record of this or an adjacent version; undefined for anything else, so that the flow starts again. */
export function parseFlowRecord(json: string, version: number): FlowRecord | undefined {
  const value: unknown = JSON.parse(json);
  return Value.Check(Flow, value) ? { ...value, version } : undefined;
}
