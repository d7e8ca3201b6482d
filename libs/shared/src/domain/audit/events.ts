const account = "the account";
const accountOrCaller = "the account, or the caller";
const client = "the client";
const caller = "the caller: its Basic user name, or its token's client_id and, if different, subject";

const event = (meaning: string, actor = "", target = "") => ({ meaning, actor, target });

/**
 * Names are stable and are never reused, because rules in other systems depend on them. docs/reference/audit.md has the same rows; a test
 * compares the two.
 */
export const auditEvents = {
  "app_password.create": event("A user created an app password", account, account),
  "app_password.delete": event("An app password was revoked", accountOrCaller, account),
  "account.read": event(
    "An operator asked what happened to an account or to a reference of a sign-in, or what the services know about an account",
    caller,
    "the account or reference as the operator typed it",
  ),
  "account.resume": event(
    "An operator resumed a suspended account, or tried to; `denied`: it was not suspended",
    caller,
    "the account; the name as the operator typed it, if it could not be looked up",
  ),
  "account.suspend": event(
    "An operator suspended an account, or tried to; `reason` is its end, if it has one, `note` the text for the user",
    caller,
    "the account; the name as the operator typed it, if it could not be looked up",
  ),
  "audit.export": event("An operator exported audit records, or did not finish", caller, "the filter"),
  "audit.read": event("An operator read audit records", caller, "the filter"),
  "brute_force.flush": event(
    "Bans and counts of an address were flushed, or a job to do so was queued",
    caller,
    "the address; for `reset` over auth-policy also the user name",
  ),
  "cache.flush": event("Cached sign-ins of a user were flushed, or a job to do so was queued", caller, "the user"),
  "caller.rejected": event(
    "An API caller was rejected; `reason` states why",
    "the caller for `operation_denied`; otherwise absent: the identity was not verified",
  ),
  "client.register": event(
    "A client registered itself",
    "name of the initial access token, if one was required",
    client,
  ),
  "client.revoke": event(
    "A client that had registered itself was deleted, and its tokens were revoked",
    "the caller: its Basic user name, or its token's client_id and, if different, subject; the client, if it deleted itself",
    client,
  ),
  "client.update": event("A client that had registered itself replaced its metadata", client, client),
  "configuration.read": event("A caller read the configuration in effect, without its secrets", caller),
  "configuration.reload": event("The configuration was reloaded after SIGHUP, and applied or refused", "process"),
  "console.action": event(
    "An operator acted in the console, or was not allowed to; `reason` is the action, `note` is the reason given",
    "the operator's account",
    "the account or network",
  ),
  "console.invite": event("A code was created that admits a new operator to the console", caller, account),
  "console.sign_in": event(
    "An operator signed in to the console, or tried to; `reason` states why it was denied",
    "the operator's account, if the identity provider named it",
  ),
  "console.sign_out": event("An operator signed out of the console, or lost the role", "the operator's account"),
  "consent.give": event("A user granted or denied a client or a device access to the account", account, client),
  "consent.revoke": event(
    "A user disconnected a client: its tokens were revoked and the consent was deleted",
    account,
    client,
  ),
  "domain.flush": event(
    "The record of a domain was flushed, so that services read it again",
    caller,
    "the domain; absent: all",
  ),
  "decision.watch": event(
    "An operator began to watch sign-ins as they are decided, or was not admitted because too many watch",
    caller,
    "the filter",
  ),
  "master_user.login": event(
    "A master user signed in as another user, or tried to",
    "the master user",
    "the user whose account was accessed",
  ),
  "network.read": event(
    "An operator asked what happened to an address or a network, and saw the accounts that sign in from there",
    caller,
    "the address or network as the operator typed it",
  ),
  "recovery_code.use": event("A recovery code was used", account, account),
  "recovery_codes.create": event("Recovery codes were generated; earlier ones are invalid", accountOrCaller, account),
  "saml.logout": event(
    "A logout message to a service provider was delivered, was rejected or could not be delivered",
    "",
    "the service provider's entity ID",
  ),
  "saml.rejected": event("A SAML message was rejected; `reason` states why", "absent: the identity was not verified"),
  "second_factor.add": event("TOTP or a passkey was added; `reason` is the factor", accountOrCaller, account),
  "second_factor.lock": event(
    "A factor was locked after too many consecutive wrong codes; `reason` is the factor",
    "absent: only the password was verified",
    account,
  ),
  "second_factor.unlock": event(
    "An operator unlocked an account's second factors and set their counts of wrong codes to zero",
    caller,
    account,
  ),
  "second_factor.remove": event(
    "TOTP, a passkey or all recovery codes were removed; `reason` is the factor",
    accountOrCaller,
    account,
  ),
  "remembered_device.add": event(
    "After a second factor, a user chose not to be asked for it again in this browser",
    account,
    account,
  ),
  "remembered_device.end": event(
    "A remembered device ended, and the second factor is asked for again there. `reason`: self_service, operator, password (it has changed), reused (the cookie was copied, or a response was lost), expired, unreadable",
    "the account, or the caller; absent at a sign-in",
    account,
  ),
  "history.export": event(
    "An operator read the recorded sign-ins of all accounts, such as for a rehearsal; once in ten minutes for each caller and time",
    caller,
    "the time from which on",
  ),
  "lost_phone.create": event(
    "An operator created a lost-phone code, or tried to; `denied`: `reason` states why there is none",
    caller,
    "the account; the name as the operator typed it, unless there is a code",
  ),
  "lost_phone.use": event("A user signed in with a lost-phone code in place of the second factor", account, account),
  "region.forget": event(
    "An operator had this region forget what another one has reported; `denied`: no other region has this name",
    caller,
    "the other region",
  ),
  "rehearsal.cancel": event("An operator cancelled a rehearsal", caller),
  "rehearsal.start": event(
    "An operator started a rehearsal of a changed configuration, whose result names accounts, or was not admitted because another one was running",
    caller,
    "the time from which on; absent: all",
  ),
  "risk.confirm": event(
    "A user confirmed that a suspicious sign-in was their own: its network is known, and a hold has ended. `method`: second_factor or known_device",
    account,
    account,
  ),
  "risk.reject": event(
    "A user said that suspicious sign-ins were not their own, and ended all other sessions, tokens and app passwords",
    account,
    account,
  ),
  "risk.sign_in": event(
    "A sign-in with a correct password was suspicious or dangerous; `reason` has its level, score and signals, and the response that refuses it, or would with `enforce`. `denied`: it was refused. For each network of an account once in half an hour; engines that decide sign-ins from it at the same time write one each",
    "",
    "the user name as sent",
  ),
  "session.end": event(
    "Sessions or tokens were ended before they expired; `reason`: logout, self_service, replaced, saml, operator, operator_one",
    "the account, the service provider, or the caller",
    account,
  ),
  "shadow.reset": event("An operator deleted the report of `auth.shadow`", caller),
  "signing_keys.rotate": event(
    "An operator rotated the signing keys of the identity provider",
    caller,
    "the `kid` of the new keys",
  ),
  "token.login": event(
    "Tokens were requested with a user name and a password",
    "the name, after the password was verified",
  ),
  "token.refresh": event("A refresh token was exchanged"),
  "token.reuse": event("A refresh token was used a second time, and its family was revoked"),
  "user.login": event(
    "A user signed in on the pages, or failed to; `method` is the last step (password, totp, recovery, webauthn, passkey, remembered_device, lost_phone), `reason` states why it failed; `other_domain`: the application is not for the domain of the account",
    "the account, after the password or passkey was verified; `account` contains it if a backend has it",
    "the client or service provider",
  ),
} as const;

export type AuditEvent = keyof typeof auditEvents;
