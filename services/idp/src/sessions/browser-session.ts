import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import type { Stored } from "../redis/stored.ts";

const optional = Type.Optional;
const text = Type.String();
const texts = Type.Array(text);

/** What the provider stores about one client in a session. */
const Authorization = Type.Object({ sid: text, grantId: optional(text) });

/** The second factor with which a session began. */
const Factor = Type.Object({
  /** What it is recorded under in `Enrolments`. */
  id: text,
  /** The minute since which it exists; absent if it was set up during an attack. */
  since: optional(Type.Integer()),
  isVouched: Type.Boolean(),
});

/** Where and how a session started, for the list of signed-in devices. */
const Origin = Type.Object({ clientIp: text, userAgent: text });

const Session = Type.Object({
  /** Never changes during the session; tokens and grants refer to it. */
  uid: text,
  /** The cookie's value, which may be replaced. */
  sid: text,
  /** OIDC `sub`. */
  accountId: text,
  /** An identifier is mapped and this account has none: no application may receive a subject. */
  lacksSubject: optional(Type.Boolean()),
  /** Account name in the backend, that is, the mailbox name. */
  account: text,
  displayName: optional(text),
  attributes: optional(Type.Record(text, texts)),
  /** Names of the account's groups; absent if the backend provides none. */
  groups: optional(texts),
  groupDns: optional(texts),
  /** The number of the backend, as in `BackendKind`. */
  backend: optional(Type.Integer()),
  /** Seconds since the epoch: `auth_time`. */
  loginTs: Type.Integer(),
  acr: optional(text),
  amr: optional(texts),
  /** When a second factor was last verified, in seconds since the epoch. */
  mfaTs: optional(Type.Integer()),
  /**
   * When a code from the help desk took the place of the second factor, in seconds since the epoch. Applications accept it as one; it proves
   * nothing for changes, confirmations and the console. Earlier versions accept it nowhere.
   */
  lostPhoneTs: optional(Type.Integer()),
  /** Absent without one, and from earlier versions. Setting one up does not change it. */
  factor: optional(Type.Union([Factor, Type.Undefined()])),
  /** It began while a suspicious sign-in was unanswered, or was one, without a factor from before: it never proves the user. */
  isDoubted: optional(Type.Boolean()),
  /** False: the cookie expires when the browser closes. */
  remember: Type.Boolean(),
  origin: optional(Origin),
  /** Seconds since the epoch. */
  iat: Type.Integer(),
  /** Absolute expiry in seconds since the epoch. */
  exp: Type.Integer(),
  /** The keys are client ids. */
  authorizations: Type.Record(text, Authorization),
  /** The provider's own state, opaque to all other code. */
  oidcState: optional(Type.Record(text, Type.Unknown())),
});

export type SessionAuthorization = Stored<typeof Authorization>;
export type SessionOrigin = Stored<typeof Origin>;
export type SignInFactor = Stored<typeof Factor>;
/** One sign-in of one browser, kept on the server (ADR 0005). */
export type BrowserSessionRecord = Stored<typeof Session>;

/** Reads a record; unknown members that a newer version wrote are kept. */
export function parseSessionRecord(json: string): BrowserSessionRecord | undefined {
  const value: unknown = JSON.parse(json);
  if (!Value.Check(Session, value)) return undefined;
  const record: Static<typeof Session> = value;
  return record;
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

/** A new sign-in replaces what the backend said at the last one, and when a factor or the help desk proved it: a group that is gone must not stay. */
export function withoutAccountData(record: BrowserSessionRecord): BrowserSessionRecord {
  const {
    lacksSubject: _1,
    displayName: _2,
    attributes: _3,
    groups: _4,
    groupDns: _5,
    lostPhoneTs: _6,
    mfaTs: _7,
    ...kept
  } = record;
  return kept;
}
