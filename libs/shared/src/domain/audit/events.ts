/** Describes an event. docs/reference/audit.md has the same rows; a test compares the two. */
export interface AuditEventRow {
  readonly meaning: string;
  readonly actor: string;
  readonly target: string;
}

/** Names are stable and are never reused, because rules in other systems depend on them. */
export const auditEvents = {
  "app_password.create": {
    meaning: "A user created an app password",
    actor: "the account",
    target: "the account",
  },
  "app_password.delete": {
    meaning: "An app password was revoked",
    actor: "the account, or the caller",
    target: "the account",
  },
  "account.read": {
    meaning:
      "An operator asked what happened to an account or to a reference of a sign-in, or what the services know about an account",
    actor: "the caller: its Basic user name, or its token's client_id and, if different, subject",
    target: "the account or reference as the operator typed it",
  },
  "audit.export": {
    meaning: "An operator exported audit records, or did not finish",
    actor: "the caller: its Basic user name, or its token's client_id and, if different, subject",
    target: "the filter",
  },
  "audit.read": {
    meaning: "An operator read audit records",
    actor: "the caller: its Basic user name, or its token's client_id and, if different, subject",
    target: "the filter",
  },
  "brute_force.flush": {
    meaning: "Bans and counts of an address were flushed, or a job to do so was queued",
    actor: "the caller: its Basic user name, or its token's client_id and, if different, subject",
    target: "the address; for `reset` over auth-policy also the user name",
  },
  "cache.flush": {
    meaning: "Cached sign-ins of a user were flushed, or a job to do so was queued",
    actor: "the caller: its Basic user name, or its token's client_id and, if different, subject",
    target: "the user",
  },
  "caller.rejected": {
    meaning: "An API caller was rejected; `reason` states why",
    actor: "the caller for `operation_denied`; otherwise absent: the identity was not verified",
    target: "",
  },
  "client.register": {
    meaning: "A client registered itself",
    actor: "name of the initial access token, if one was required",
    target: "the client",
  },
  "client.revoke": {
    meaning: "A client that had registered itself was deleted, and its tokens were revoked",
    actor:
      "the caller: its Basic user name, or its token's client_id and, if different, subject; the client, if it deleted itself",
    target: "the client",
  },
  "client.update": {
    meaning: "A client that had registered itself replaced its metadata",
    actor: "the client",
    target: "the client",
  },
  "configuration.read": {
    meaning: "A caller read the configuration in effect, without its secrets",
    actor: "the caller: its Basic user name, or its token's client_id and, if different, subject",
    target: "",
  },
  "configuration.reload": {
    meaning: "The configuration was reloaded after SIGHUP, and applied or refused",
    actor: "process",
    target: "",
  },
  "console.action": {
    meaning:
      "An operator acted in the console, or was not allowed to; `reason` is the action, `note` is the reason given",
    actor: "the operator's account",
    target: "the account or network",
  },
  "console.invite": {
    meaning: "A code was created that admits a new operator to the console",
    actor: "the caller: its Basic user name, or its token's client_id and, if different, subject",
    target: "the account",
  },
  "console.sign_in": {
    meaning: "An operator signed in to the console, or tried to; `reason` states why it was denied",
    actor: "the operator's account, if the identity provider named it",
    target: "",
  },
  "console.sign_out": {
    meaning: "An operator signed out of the console, or lost the role",
    actor: "the operator's account",
    target: "",
  },
  "consent.give": {
    meaning: "A user granted or denied a client or a device access to the account",
    actor: "the account",
    target: "the client",
  },
  "consent.revoke": {
    meaning: "A user disconnected a client: its tokens were revoked and the consent was deleted",
    actor: "the account",
    target: "the client",
  },
  "master_user.login": {
    meaning: "A master user signed in as another user, or tried to",
    actor: "the master user",
    target: "the user whose account was accessed",
  },
  "network.read": {
    meaning: "An operator asked what happened to an address or a network, and saw the accounts that sign in from there",
    actor: "the caller: its Basic user name, or its token's client_id and, if different, subject",
    target: "the address or network as the operator typed it",
  },
  "recovery_code.use": {
    meaning: "A recovery code was used",
    actor: "the account",
    target: "the account",
  },
  "recovery_codes.create": {
    meaning: "Recovery codes were generated; earlier ones are invalid",
    actor: "the account, or the caller",
    target: "the account",
  },
  "saml.logout": {
    meaning: "A logout message to a service provider was delivered, was rejected or could not be delivered",
    actor: "",
    target: "the service provider's entity ID",
  },
  "saml.rejected": {
    meaning: "A SAML message was rejected; `reason` states why",
    actor: "absent: the identity was not verified",
    target: "",
  },
  "second_factor.add": {
    meaning: "TOTP or a passkey was added; `reason` is the factor",
    actor: "the account, or the caller",
    target: "the account",
  },
  "second_factor.lock": {
    meaning: "A factor was locked after too many consecutive wrong codes; `reason` is the factor",
    actor: "absent: only the password was verified",
    target: "the account",
  },
  "second_factor.unlock": {
    meaning: "An operator unlocked an account's second factors and set their counts of wrong codes to zero",
    actor: "the caller: its Basic user name, or its token's client_id and, if different, subject",
    target: "the account",
  },
  "second_factor.remove": {
    meaning: "TOTP, a passkey or all recovery codes were removed; `reason` is the factor",
    actor: "the account, or the caller",
    target: "the account",
  },
  "risk.confirm": {
    meaning:
      "A user confirmed that a suspicious sign-in was their own: its network is known, and a hold has ended. `method`: second_factor or known_device",
    actor: "the account",
    target: "the account",
  },
  "risk.reject": {
    meaning:
      "A user said that suspicious sign-ins were not their own, and ended all other sessions, tokens and app passwords",
    actor: "the account",
    target: "the account",
  },
  "risk.sign_in": {
    meaning:
      "A sign-in with a correct password was suspicious or dangerous; `reason` has its level, score and signals, and the response that refuses it, or would with `enforce`. `denied`: it was refused. For each network of an account once in half an hour; engines that decide sign-ins from it at the same time write one each",
    actor: "",
    target: "the user name as sent",
  },
  "session.end": {
    meaning:
      "Sessions or tokens were ended before they expired; `reason`: logout, self_service, replaced, saml, operator, operator_one",
    actor: "the account, the service provider, or the caller",
    target: "the account",
  },
  "signing_keys.rotate": {
    meaning: "An operator rotated the signing keys of the identity provider",
    actor: "the caller: its Basic user name, or its token's client_id and, if different, subject",
    target: "the `kid` of the new keys",
  },
  "token.login": {
    meaning: "Tokens were requested with a user name and a password",
    actor: "the name, after the password was verified",
    target: "",
  },
  "token.refresh": { meaning: "A refresh token was exchanged", actor: "", target: "" },
  "token.reuse": {
    meaning: "A refresh token was used a second time, and its family was revoked",
    actor: "",
    target: "",
  },
  "user.login": {
    meaning:
      "A user signed in on the pages, or failed to; `method` is the last step (password, totp, recovery, webauthn, passkey), `reason` states why it failed",
    actor: "the account, after the password or passkey was verified; `account` contains it if a backend has it",
    target: "the client or service provider",
  },
} as const satisfies Readonly<Record<string, AuditEventRow>>;

export type AuditEvent = keyof typeof auditEvents;
