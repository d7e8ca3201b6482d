import { type Static, Type } from "typebox";
import { ofCaller } from "../auth/request.ts";
import { engineMethod } from "../define.ts";
import { count, oneOf, optional, optionalCount, optionalFlag, optionalText, text, textsByName } from "../schema.ts";

/** A sign-in that a mail server verifies with its own passdb, as its auth-policy request describes it. */
const login = {
  session: text("GUID of the request, X-Service-Session.", { minLength: 1, maxLength: 64 }),
  username: text("Name as typed. Empty if the mail server rejected it before any lookup."),
  protocol: Type.String({ minLength: 1 }),
  mechanism: optionalText("SASL mechanism in lower case, if the mail server sends it."),
  clientIp: text("Address of the client; with clientIpIsPeer, of the API caller."),
  clientIpIsPeer: optionalFlag("Whether the API caller did not name the client."),
  clientId: optionalText("Member device_id."),
  externalSessionId: optionalText("Member session_id."),
  tls: Type.Boolean(),
  attributes: optional(textsByName("Member attrs, for policies.")),
  ...ofCaller,
};

export const AuthPolicyLogin = Type.Object(login);
export type AuthPolicyLogin = Static<typeof AuthPolicyLogin>;

const domain = optionalText(
  "Domain of the login, for logs. Absent while no domain has rules of its own, and for domains that are not served.",
);

export const AuthPolicyVerdict = Type.Object({
  verdict: oneOf("accept", "tarpit", "reject"),
  delaySeconds: optionalCount("With tarpit: time to wait.", 1),
  reason: optionalText("ban, account_delay or policy. Newer engines may have others."),
  rule: optionalText("With ban: the brute-force rule."),
  retryAfterSeconds: optionalCount("With ban: time until it expires.", 1),
  message: optionalText("Message of a policy, for the user."),
  domain,
});
export type AuthPolicyVerdict = Static<typeof AuthPolicyVerdict>;

/** Asks whether a sign-in may proceed. Changes nothing. */
export const authPolicyAllow = engineMethod("auth-policy-allow", AuthPolicyLogin, AuthPolicyVerdict, {
  repeatable: true,
});

/**
 * Reports the result of a sign-in. The hash identifies a repeated wrong password. It travels as text on the bus only; the
 * receiver wraps it in a `Secret` before any other code sees it.
 */
export const AuthPolicyResult = Type.Object({
  ...login,
  result: oneOf("success", "wrong_password", "unknown_user"),
  passwordHash: optionalText("Member pwhash. Absent: no two failures are the same."),
});
export type AuthPolicyResult = Static<typeof AuthPolicyResult>;

export const AuthPolicyEffect = Type.Object({
  effect: text(
    "recorded: a success. counted: a failure. repeated: a failure that raised no count. exempt: neither checked nor counted. banned: ignored, because the network is banned. Newer engines may have others.",
  ),
  rule: optionalText("The rule whose ban is in force."),
  domain,
});
export type AuthPolicyEffect = Static<typeof AuthPolicyEffect>;

export const authPolicyReport = engineMethod("auth-policy-report", AuthPolicyResult, AuthPolicyEffect, {
  // The digest of the password hash, or of the session without one, is counted once.
  repeatable: true,
});

/** Removes the bans and counts of an address, of an account, or of both. */
export const authPolicyReset = engineMethod(
  "auth-policy-reset",
  Type.Object({
    session: Type.String({ minLength: 1, maxLength: 64 }),
    address: optionalText("In canonical form.", { maxLength: 64 }),
    username: Type.Optional(Type.String()),
  }),
  Type.Object({ removed: count("Number of keys that were removed.") }),
  { repeatable: true },
);
