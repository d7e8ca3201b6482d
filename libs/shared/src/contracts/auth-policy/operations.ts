import { Type } from "typebox";
import { emptyAnswer, jsonAnswer, operatorApi, queryOf } from "../operations/answers.ts";
import { component, integer, oneOf, optionalFlag, optionalText, text } from "../schema.ts";

/** Values of the query parameter `command`. */
export const authPolicyCommands = ["allow", "report", "reset", "ping"] as const;
export type AuthPolicyCommand = (typeof authPolicyCommands)[number];

/** Body of allow, report and reset. Other members are ignored. */
export const AuthPolicyRequest = component("AuthPolicyRequest", {
  login: optionalText("User name as typed. Required by allow and report; with reset, the account to reset."),
  remote: optionalText("Address of the client. Without it, failures count for the account only."),
  pwhash: optionalText("Keyed hash of user name and password, which identifies a repeated wrong password."),
  protocol: optionalText("Protocol, such as imap, pop3 or smtp."),
  device_id: optionalText("Identification that the mail client sent."),
  session_id: optionalText("Session of the mail server, for the log."),
  mech: optionalText("SASL mechanism, such as PLAIN or CRAM-MD5."),
  tls: optionalFlag("Whether the client uses TLS."),
  attrs: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "Further attributes for policies: each a string or a list of strings.",
    }),
  ),
  success: optionalFlag("Required by report: whether the sign-in succeeded."),
  policy_reject: optionalFlag("With report: the sign-in was refused by allow. It is not counted."),
  fail_type: optionalText("With report: credentials, account, disabled, expired, internal or policy (Dovecot 2.4)."),
  ip: optionalText("With reset: the address to reset."),
});

/** Answer to allow. */
export const AuthPolicyDecision = component("AuthPolicyDecision", {
  status: integer("-1 rejects, 0 accepts, above 0 delays by this number of seconds."),
  msg: text("Message of a policy for the user. Usually empty."),
  r_attrs: Type.Record(Type.String(), Type.String(), {
    description: "The reason of a refusal or delay: reason, rule, retry_after.",
  }),
});

/** Answer to report, reset and ping. */
export const AuthPolicyDone = component("AuthPolicyDone", { status: Type.Literal("ok") });

export const AuthPolicyFailure = component("AuthPolicyFailure", {
  status: Type.Literal("failure"),
  reason: text("Error message, for people to read."),
});

const path = "/api/v1/auth-policy";
const failures = {
  400: jsonAnswer("Malformed request, or an unknown command.", AuthPolicyFailure),
  404: emptyAnswer("runtime.servers.http.auth_policy_endpoint is false."),
  500: jsonAnswer("Temporary failure. Dovecot then lets the sign-in proceed.", AuthPolicyFailure),
};

const authPolicy = operatorApi(
  { name: "authentication policy", prefix: path, owner: "gateway", anyScope: [] },
  "Authentication policy",
  failures,
);

/** The auth-policy protocol of Dovecot and weakforced. */
export const authPolicyOperations = [
  authPolicy("post", path, "authPolicy", {
    concerns: { of: "accounts" },
    maxBodyBytes: 131_072,
    summary: "Ask about, report or reset sign-ins that a mail server verifies itself",
    description:
      "allow answers with a decision, the other commands with status ok. reset requires the scope service:security or service:admin.",
    request: {
      query: Type.Object({ command: oneOf(...authPolicyCommands) }),
      body: { "application/json": AuthPolicyRequest },
      bodyRequired: false,
    },
    answers: { 200: jsonAnswer("The answer.", Type.Union([AuthPolicyDecision, AuthPolicyDone])) },
  }),
  authPolicy("get", path, "authPolicyPing", {
    concerns: { of: "nobody" },
    summary: "Check that an engine can evaluate sign-ins",
    request: queryOf({ command: Type.Literal("ping") }),
    answers: { 200: jsonAnswer("An engine sends heartbeats.", AuthPolicyDone) },
  }),
];
