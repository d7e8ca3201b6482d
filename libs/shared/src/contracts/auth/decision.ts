import { type Static, Type } from "typebox";

/** The contract's `backend` integers (design decision 8). */
export const BackendKind = Object.freeze({ cache: 1, ldap: 2, lua: 3, test: 4, memory: 5, remote: 6, sql: 8 });
export type BackendKind = keyof typeof BackendKind;

const memoryCache = Type.Union([Type.Literal("hit"), Type.Literal("miss")]);

/** Why a request was denied. For logs and metrics: the caller is told nothing that separates them. */
export const DenialReason = Type.Union([
  Type.Literal("unknown_user"),
  Type.Literal("wrong_password"),
  Type.Literal("account_disabled"),
  Type.Literal("empty_password"),
  Type.Literal("bad_token"),
  Type.Literal("method_not_enabled"),
  Type.Literal("unknown_relay_domain"),
  Type.Literal("rbl"),
  Type.Literal("policy"),
  Type.Literal("script"),
]);
export type DenialReason = Static<typeof DenialReason>;

const Ok = Type.Object({
  outcome: Type.Literal("ok"),
  account: Type.String({ description: "canonical account name, Auth-User" }),
  accountField: Type.String(),
  totpSecretField: Type.String(),
  backend: Type.Integer(),
  attributes: Type.Record(Type.String(), Type.Array(Type.String())),
  upstream: Type.Optional(
    Type.Object(
      { address: Type.String(), port: Type.Integer({ minimum: 1, maximum: 65_535 }) },
      { description: "mail server that a script chose, for the proxy-style endpoint" },
    ),
  ),
  groups: Type.Optional(
    Type.Array(Type.String(), { description: "names of the account's groups; absent where none are looked for" }),
  ),
  memoryCache,
});
export type Ok = Static<typeof Ok>;

const waitSeconds = Type.Optional(Type.Integer({ minimum: 0, description: "Auth-Wait; absent means no such header" }));

const language = Type.Optional(
  Type.String({
    description: "language tag of a message out of a catalogue, Content-Language; absent in older engines",
  }),
);

const passwordsSeen = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));

const Fail = Type.Object({
  outcome: Type.Literal("fail"),
  reason: Type.String({ description: "a DenialReason; one of a newer engine's is a denial all the same" }),
  detail: Type.Optional(Type.String({ description: "what a directory says beside the reason, for logs" })),
  accountPasswordsSeen: passwordsSeen("distinct wrong passwords of the account from this network, for logs"),
  totalPasswordsSeen: passwordsSeen("distinct guesses from this network, for logs"),
  message: Type.Optional(Type.String({ description: "a policy's or script's text; absent means the default" })),
  language,
  waitSeconds,
  memoryCache,
});
export type Fail = Static<typeof Fail>;

const Blocked = Type.Object({
  outcome: Type.Literal("blocked"),
  rule: Type.String(),
  message: Type.Optional(Type.String()),
  language,
  waitSeconds,
  memoryCache,
});
export type Blocked = Static<typeof Blocked>;

const TempFail = Type.Object({
  outcome: Type.Literal("tempfail"),
  code: Type.String({ description: "a code of libs/shared/errors/codes.ts" }),
  message: Type.String({ description: "the public sentence" }),
  language,
});
export type TempFail = Static<typeof TempFail>;

/**
 * The answer to an `AuthRequest`. `tempfail` says that nobody could decide: it never moves a counter, never enters a
 * cache, and never leaves as a denial (design rule 3).
 */
export const AuthDecision = Type.Union([Ok, Fail, Blocked, TempFail]);
export type AuthDecision = Static<typeof AuthDecision>;
