import { Type } from "typebox";

/** Values of the query parameter `command`. */
export const authPolicyCommands = ["allow", "report", "reset", "ping"] as const;
export type AuthPolicyCommand = (typeof authPolicyCommands)[number];

const text = (description: string) => Type.Optional(Type.String({ description }));

/** Body of allow, report and reset. Other members are ignored. */
export const AuthPolicyRequest = Type.Object(
  {
    login: text("User name as typed. Required by allow and report; with reset, the account to reset."),
    remote: text("Address of the client. Without it, failures count for the account only."),
    pwhash: text("Keyed hash of user name and password, which identifies a repeated wrong password."),
    protocol: text("Protocol, such as imap, pop3 or smtp."),
    device_id: text("Identification that the mail client sent."),
    session_id: text("Session of the mail server, for the log."),
    mech: text("SASL mechanism, such as PLAIN or CRAM-MD5."),
    tls: Type.Optional(Type.Boolean({ description: "Whether the client uses TLS." })),
    attrs: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Further attributes for policies: each a string or a list of strings.",
      }),
    ),
    success: Type.Optional(Type.Boolean({ description: "Required by report: whether the sign-in succeeded." })),
    policy_reject: Type.Optional(
      Type.Boolean({ description: "With report: the sign-in was refused by allow. It is not counted." }),
    ),
    fail_type: text("With report: credentials, account, disabled, expired, internal or policy (Dovecot 2.4)."),
    ip: text("With reset: the address to reset."),
  },
  { title: "AuthPolicyRequest" },
);

/** Answer to allow. */
export const AuthPolicyDecision = Type.Object(
  {
    status: Type.Integer({ description: "-1 rejects, 0 accepts, above 0 delays by this number of seconds." }),
    msg: Type.String({ description: "Message of a policy for the user. Usually empty." }),
    r_attrs: Type.Record(Type.String(), Type.String(), {
      description: "The reason of a refusal or delay: reason, rule, retry_after.",
    }),
  },
  { title: "AuthPolicyDecision" },
);

/** Answer to report, reset and ping. */
export const AuthPolicyDone = Type.Object({ status: Type.Literal("ok") }, { title: "AuthPolicyDone" });

export const AuthPolicyFailure = Type.Object(
  { status: Type.Literal("failure"), reason: Type.String({ description: "Error message, for people to read." }) },
  { title: "AuthPolicyFailure" },
);
