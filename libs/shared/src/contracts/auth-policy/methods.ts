import { type Static, Type } from "typebox";
import { defineMethod } from "../define.ts";

/** A sign-in that a mail server verifies with its own passdb, as its auth-policy request describes it. */
const login = {
  session: Type.String({ minLength: 1, maxLength: 64, description: "GUID of the request, X-Service-Session." }),
  username: Type.String({ description: "Name as typed. Empty if the mail server rejected it before any lookup." }),
  protocol: Type.String({ minLength: 1 }),
  mechanism: Type.Optional(Type.String({ description: "SASL mechanism in lower case, if the mail server sends it." })),
  clientIp: Type.String({ description: "Address of the client; with clientIpIsPeer, of the API caller." }),
  clientIpIsPeer: Type.Optional(Type.Boolean({ description: "Whether the API caller did not name the client." })),
  clientId: Type.Optional(Type.String({ description: "Member device_id." })),
  externalSessionId: Type.Optional(Type.String({ description: "Member session_id." })),
  tls: Type.Boolean(),
  attributes: Type.Optional(
    Type.Record(Type.String(), Type.Array(Type.String()), { description: "Member attrs, for policies." }),
  ),
};

export const AuthPolicyLogin = Type.Object(login);
export type AuthPolicyLogin = Static<typeof AuthPolicyLogin>;

export const AuthPolicyVerdict = Type.Object({
  verdict: Type.Union([Type.Literal("accept"), Type.Literal("tarpit"), Type.Literal("reject")]),
  delaySeconds: Type.Optional(Type.Integer({ minimum: 1, description: "With tarpit: time to wait." })),
  reason: Type.Optional(Type.String({ description: "ban, account_delay or policy. Newer engines may have others." })),
  rule: Type.Optional(Type.String({ description: "With ban: the brute-force rule." })),
  retryAfterSeconds: Type.Optional(Type.Integer({ minimum: 1, description: "With ban: time until it expires." })),
  message: Type.Optional(Type.String({ description: "Message of a policy, for the user." })),
});
export type AuthPolicyVerdict = Static<typeof AuthPolicyVerdict>;

/** Asks whether a sign-in may proceed. Changes nothing. */
export const authPolicyAllow = defineMethod({
  service: "auth-engine",
  name: "auth-policy-allow",
  major: 1,
  request: AuthPolicyLogin,
  reply: AuthPolicyVerdict,
  repeatable: true,
});

/**
 * Reports the result of a sign-in. The hash identifies a repeated wrong password. It travels as text on the bus only; the
 * receiver wraps it in a `Secret` before any other code sees it.
 */
export const AuthPolicyResult = Type.Object({
  ...login,
  result: Type.Union([Type.Literal("success"), Type.Literal("wrong_password"), Type.Literal("unknown_user")]),
  passwordHash: Type.Optional(Type.String({ description: "Member pwhash. Absent: no two failures are the same." })),
});
export type AuthPolicyResult = Static<typeof AuthPolicyResult>;

export const AuthPolicyEffect = Type.Object({
  effect: Type.String({
    description:
      "recorded: a success. counted: a failure. repeated: a failure that raised no count. exempt: neither checked nor counted. banned: ignored, because the network is banned. Newer engines may have others.",
  }),
  rule: Type.Optional(Type.String({ description: "The rule whose ban is in force." })),
});
export type AuthPolicyEffect = Static<typeof AuthPolicyEffect>;

export const authPolicyReport = defineMethod({
  service: "auth-engine",
  name: "auth-policy-report",
  major: 1,
  request: AuthPolicyResult,
  reply: AuthPolicyEffect,
  // The digest of the password hash, or of the session without one, is counted once.
  repeatable: true,
});

/** Removes the bans and counts of an address, of an account, or of both. */
export const authPolicyReset = defineMethod({
  service: "auth-engine",
  name: "auth-policy-reset",
  major: 1,
  request: Type.Object({
    session: Type.String({ minLength: 1, maxLength: 64 }),
    address: Type.Optional(Type.String({ maxLength: 64, description: "In canonical form." })),
    username: Type.Optional(Type.String()),
  }),
  reply: Type.Object({ removed: Type.Integer({ minimum: 0, description: "Number of keys that were removed." }) }),
  repeatable: true,
});
