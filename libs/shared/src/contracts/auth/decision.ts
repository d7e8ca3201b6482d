import { type Static, Type } from "typebox";
import { object, oneOf, optional, optionalCount, optionalFlag, optionalText, text, texts } from "../schema.ts";

/**
 * The `backend` integers of the HTTP interface (ADR 0008). `test` and `memory` are reserved: other implementations of the
 * interface use them, Postern does not. `remote` is another server of the interface (ADR 0264).
 */
export const BackendKind = Object.freeze({ cache: 1, ldap: 2, lua: 3, test: 4, memory: 5, remote: 6, sql: 8 });
export type BackendKind = keyof typeof BackendKind;

const domain = optionalText(
  "Domain of the account that was opened, for logs. Absent while no domain has rules of its own, and for domains that are not served.",
);

const memoryCache = oneOf("hit", "miss");

/** The service that answers the client waits (gateway or idp), so that a delayed account does not occupy an engine. */
const holdMs = optionalCount("Time by which the response is delayed, in milliseconds. Absent: no delay.");

/** Why a sign-in with a correct password looked stolen, for logs and scripts. */
const risk = Type.Optional(
  Type.Object({
    score: Type.Integer({ minimum: 0 }),
    level: text("A RiskLevel."),
    signals: texts("Names of the signals that made the score."),
  }),
);

/** Why a request was denied. For logs and metrics: the API caller cannot distinguish the reasons. */
export const DenialReason = oneOf(
  "unknown_user",
  "wrong_password",
  "remote_denied",
  "password_unverifiable",
  "account_disabled",
  "account_suspended",
  "empty_password",
  "bad_token",
  "method_not_enabled",
  "unknown_relay_domain",
  "domain",
  "rbl",
  "policy",
  "script",
  "risk",
);
export type DenialReason = Static<typeof DenialReason>;

const Ok = Type.Object({
  outcome: Type.Literal("ok"),
  account: text("Canonical account name, Auth-User."),
  uniqueUserId: optionalText(
    "Mapped identifier that survives renames, for the identity provider. Empty: mapped, but the account has none. Absent: not mapped, or the decision comes from a cache.",
  ),
  accountField: Type.String(),
  totpSecretField: Type.String(),
  backend: Type.Integer(),
  attributes: Type.Record(Type.String(), Type.Array(Type.String())),
  upstream: optional(
    object("Mail server that a script selected, for the proxy dialect.", {
      address: Type.String(),
      port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    }),
  ),
  groups: optional(texts("Names of the account's groups. Absent if groups are not searched.")),
  backendName: optionalText(
    "Entry of auth.backends.order, or of a domain record, whose backend has the account. Only for dialect idp.",
  ),
  groupDns: optional(texts("DNs of the account's groups, for the identity provider. Only for dialect idp.")),
  displayName: optionalText(
    "Mapped display name, for the identity provider. Only for dialect idp. Absent: not mapped.",
  ),
  passwordWarning: optional(
    object("What the backend says about a password that must soon be changed.", {
      graceLoginsLeft: optionalCount("The password has expired, and admits the user this many times more."),
      expiresInSeconds: optionalCount("Time until the password expires."),
    }),
  ),
  holdMs,
  risk,
  domain,
  memoryCache,
});
export type Ok = Static<typeof Ok>;

const waitSeconds = optionalCount("Value of Auth-Wait. Absent: no such header.");

const language = optionalText("Language tag of a message from a catalogue, for Content-Language.");

const passwordsSeen = (description: string) => optionalCount(description);

const retryAfterSeconds = optionalCount(
  "Time until the ban of this network expires, in seconds, for the sign-in pages.",
  1,
);

const Fail = Type.Object({
  outcome: Type.Literal("fail"),
  reason: text("A DenialReason. An unknown reason of a newer engine is a denial too."),
  detail: optionalText("Details from the backend, for logs."),
  policy: optionalText("Policy that denied the sign-in, for the history. Only with the reason `policy`."),
  accountPasswordsSeen: passwordsSeen(
    "Number of distinct wrong passwords for the account from this network, for logs.",
  ),
  totalPasswordsSeen: passwordsSeen("Number of distinct guesses from this network, for logs."),
  account: optionalText("Account of this name in a backend, for logs. Only for dialect idp."),
  mustChangePassword: optionalFlag(
    "The password is correct, and the user can sign in once it is changed. For the sign-in pages; other callers are told nothing.",
  ),
  retryAfterSeconds,
  message: optionalText("Message of a policy or script. Absent: the default message."),
  language,
  waitSeconds,
  holdMs,
  risk,
  domain,
  memoryCache,
});
export type Fail = Static<typeof Fail>;

const Blocked = Type.Object({
  outcome: Type.Literal("blocked"),
  rule: Type.String(),
  retryAfterSeconds,
  message: Type.Optional(Type.String()),
  language,
  waitSeconds,
  domain,
  memoryCache,
});
export type Blocked = Static<typeof Blocked>;

const TempFail = Type.Object({
  outcome: Type.Literal("tempfail"),
  code: text("Error code in libs/shared/src/platform/errors/codes.ts."),
  message: text("Public error message."),
  language,
  domain,
});
export type TempFail = Static<typeof TempFail>;

/**
 * The answer to an `AuthRequest`. `tempfail` means that no decision was possible: it never changes a counter, is never
 * cached, and is never reported as a denial (ADR 0013).
 */
export const AuthDecision = Type.Union([Ok, Fail, Blocked, TempFail]);
export type AuthDecision = Static<typeof AuthDecision>;
