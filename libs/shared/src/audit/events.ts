/** What an event tells; the page docs/operations/audit.md has the same rows. */
export interface AuditEventRow {
  readonly meaning: string;
  readonly actor: string;
  readonly target: string;
}

/** Names never change and are never used for something else: rules of other systems hang on them. */
export const auditEvents = {
  "brute_force.flush": {
    meaning: "Bans and counts of an address were flushed, or a job was queued for it",
    actor: "the caller's way in: basic or bearer",
    target: "the address",
  },
  "cache.flush": {
    meaning: "Cached logins of a user were flushed, or a job was queued for it",
    actor: "the caller's way in: basic or bearer",
    target: "the user",
  },
  "caller.rejected": {
    meaning: "A caller of the back channel was not let in, and why",
    actor: "never told: who it is was not proved",
    target: "",
  },
  "configuration.read": {
    meaning: "Somebody read the configuration in effect, without its secrets",
    actor: "the caller's way in: basic or bearer",
    target: "",
  },
  "configuration.reload": {
    meaning: "A configuration was read again after SIGHUP, and applied or refused",
    actor: "process",
    target: "",
  },
  "master_user.login": {
    meaning: "Somebody signed in, or tried to, in another user's name",
    actor: "the master user",
    target: "the user whose mailbox it is",
  },
  "saml.logout": {
    meaning: "A service provider was told that a session is over, refused to hear of it, or could not be told",
    actor: "",
    target: "the service provider's entity ID",
  },
  "token.login": {
    meaning: "Somebody asked for tokens with a name and a password",
    actor: "the name, once the password has proved it",
    target: "",
  },
  "token.refresh": { meaning: "A refresh token was exchanged", actor: "", target: "" },
  "token.reuse": {
    meaning: "A refresh token came a second time, and its family was revoked",
    actor: "",
    target: "",
  },
} as const satisfies Readonly<Record<string, AuditEventRow>>;

export type AuditEvent = keyof typeof auditEvents;
