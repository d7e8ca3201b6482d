/** What an event tells; the page docs/operations/audit.md has the same rows. */
export interface AuditEventRow {
  readonly meaning: string;
  readonly actor: string;
  readonly target: string;
}

/** Names never change and are never used for something else: rules of other systems hang on them. */
export const auditEvents = {
  "app_password.create": {
    meaning: "A user made a password for a program",
    actor: "the account",
    target: "the account",
  },
  "app_password.delete": {
    meaning: "A user took a program's password back",
    actor: "the account",
    target: "the account",
  },
  "brute_force.flush": {
    meaning: "Bans and counts of an address were flushed, or a job was queued for it",
    actor: "the caller: its Basic user name, or its token's client_id and, where another, subject",
    target: "the address",
  },
  "cache.flush": {
    meaning: "Cached logins of a user were flushed, or a job was queued for it",
    actor: "the caller: its Basic user name, or its token's client_id and, where another, subject",
    target: "the user",
  },
  "caller.rejected": {
    meaning: "A caller of the back channel was not let in, and why",
    actor: "never told: who it is was not proved",
    target: "",
  },
  "configuration.read": {
    meaning: "Somebody read the configuration in effect, without its secrets",
    actor: "the caller: its Basic user name, or its token's client_id and, where another, subject",
    target: "",
  },
  "configuration.reload": {
    meaning: "A configuration was read again after SIGHUP, and applied or refused",
    actor: "process",
    target: "",
  },
  "consent.give": {
    meaning: "A user let a client or a device use the account, or refused to",
    actor: "the account",
    target: "the client",
  },
  "consent.revoke": {
    meaning: "A user disconnected a client: its tokens ended and the consent is forgotten",
    actor: "the account",
    target: "the client",
  },
  "master_user.login": {
    meaning: "Somebody signed in, or tried to, in another user's name",
    actor: "the master user",
    target: "the user whose mailbox it is",
  },
  "recovery_code.use": {
    meaning: "A recovery code was used up",
    actor: "the account",
    target: "the account",
  },
  "recovery_codes.create": {
    meaning: "Recovery codes were made; those of before are dead",
    actor: "the account, or the caller",
    target: "the account",
  },
  "saml.logout": {
    meaning: "A service provider was told that a session is over, refused to hear of it, or could not be told",
    actor: "",
    target: "the service provider's entity ID",
  },
  "saml.rejected": {
    meaning: "A SAML message was not taken, and why",
    actor: "never told: who it is was not proved",
    target: "",
  },
  "second_factor.add": {
    meaning: "TOTP or a passkey was set up; `reason` says which",
    actor: "the account, or the caller",
    target: "the account",
  },
  "second_factor.remove": {
    meaning: "TOTP, a passkey or all recovery codes were removed; `reason` says which",
    actor: "the account, or the caller",
    target: "the account",
  },
  "session.end": {
    meaning:
      "Sessions or tokens ended before their time; `reason`: logout, self_service, replaced, saml, operator, operator_one",
    actor: "the account, the service provider, or the caller",
    target: "the account",
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
  "user.login": {
    meaning:
      "A user signed in by the pages, or failed to; `reason` is the last step: password, totp, recovery, webauthn, passkey",
    actor: "the account, once the password or passkey has proved it",
    target: "the client or service provider",
  },
} as const satisfies Readonly<Record<string, AuditEventRow>>;

export type AuditEvent = keyof typeof auditEvents;
