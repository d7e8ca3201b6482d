const account = "the account";
const accountOrCaller = "the account, or the caller";
const client = "the client";
const caller = "the caller: its Basic user name, or its token's client_id and, if different, subject";

type Member = "account" | "actor" | "target";

/** @param about where records of the event name the account that they are about; the others are about the site */
const event = (meaning: string, actor = "", target = "", about?: Member) => ({ meaning, actor, target, about });

const aboutAccount = (meaning: string, actor: string, target = account) => event(meaning, actor, target, "target");

/**
 * Names are stable and are never reused, because rules in other systems depend on them. docs/reference/audit.md has the same rows; a test
 * compares the two.
 */
export const auditEvents = {
  "app_password.create": aboutAccount("A user created an app password", account),
  "app_password.delete": aboutAccount("An app password was revoked", accountOrCaller),
  "account.read": aboutAccount(
    "An operator asked what happened to an account or to a reference of a sign-in, or what the services know about an account",
    caller,
    "the account or reference as the operator typed it",
  ),
  "account.resume": aboutAccount(
    "An operator resumed a suspended account, or tried to; `denied`: it was not suspended",
    caller,
    "the account; the name as the operator typed it, if it could not be looked up",
  ),
  "account.suspend": aboutAccount(
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
  "cache.flush": aboutAccount(
    "Cached sign-ins of a user were flushed, or a job to do so was queued",
    caller,
    "the user",
  ),
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
  "console.action": aboutAccount(
    "An operator acted in the console, or was not allowed to; `reason` is the action, `note` is the reason given",
    "the operator's account",
    "the account or network",
  ),
  "console.invite": aboutAccount("A code was created that admits a new operator to the console", caller),
  "console.sign_in": event(
    "An operator signed in to the console, or tried to; `reason` states why it was denied",
    "the operator's account, if the identity provider named it",
    "",
    "actor",
  ),
  "console.sign_out": event(
    "An operator signed out of the console, or lost the role",
    "the operator's account",
    "",
    "actor",
  ),
  "consent.give": event(
    "A user granted or denied a client or a device access to the account",
    account,
    client,
    "actor",
  ),
  "consent.revoke": event(
    "A user disconnected a client: its tokens were revoked and the consent was deleted",
    account,
    client,
    "actor",
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
  "master_user.login": aboutAccount(
    "A master user signed in as another user, or tried to",
    "the master user",
    "the user whose account was accessed",
  ),
  "network.read": event(
    "An operator asked what happened to an address or a network, and saw the accounts that sign in from there",
    caller,
    "the address or network as the operator typed it",
  ),
  "recovery_code.use": aboutAccount("A recovery code was used", account),
  "recovery_codes.create": aboutAccount("Recovery codes were generated; earlier ones are invalid", accountOrCaller),
  "saml.logout": event(
    "A logout message to a service provider was delivered, was rejected or could not be delivered",
    "",
    "the service provider's entity ID",
  ),
  "saml.rejected": event("A SAML message was rejected; `reason` states why", "absent: the identity was not verified"),
  "second_factor.add": aboutAccount("TOTP or a passkey was added; `reason` is the factor", accountOrCaller),
  "second_factor.lock": aboutAccount(
    "A factor was locked after too many consecutive wrong codes; `reason` is the factor",
    "absent: only the password was verified",
  ),
  "second_factor.unlock": aboutAccount(
    "An operator unlocked an account's second factors and set their counts of wrong codes to zero",
    caller,
  ),
  "second_factor.remove": aboutAccount(
    "TOTP, a passkey or all recovery codes were removed; `reason` is the factor",
    accountOrCaller,
  ),
  "remembered_device.add": aboutAccount(
    "After a second factor, a user chose not to be asked for it again in this browser",
    account,
  ),
  "remembered_device.end": aboutAccount(
    "A remembered device ended, and the second factor is asked for again there. `reason`: self_service, operator, password (it has changed), reused (the cookie was copied, or a response was lost), expired, unreadable",
    "the account, or the caller; absent at a sign-in",
  ),
  "history.export": event(
    "An operator read the recorded sign-ins of all accounts, such as for a rehearsal; once in ten minutes for each caller and time",
    caller,
    "the time from which on",
  ),
  "lost_phone.create": aboutAccount(
    "An operator created a lost-phone code, or tried to; `denied`: `reason` states why there is none",
    caller,
    "the account; the name as the operator typed it, unless there is a code",
  ),
  "lost_phone.use": aboutAccount("A user signed in with a lost-phone code in place of the second factor", account),
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
  "risk.confirm": aboutAccount(
    "A user confirmed that a suspicious sign-in was their own: its network is known, and a hold has ended. `method`: second_factor or known_device",
    account,
  ),
  "risk.reject": aboutAccount(
    "A user said that suspicious sign-ins were not their own, and ended all other sessions, tokens and app passwords",
    account,
  ),
  "risk.sign_in": aboutAccount(
    "A sign-in with a correct password was suspicious or dangerous; `reason` has its level, score and signals, and the response that refuses it, or would with `enforce`. `denied`: it was refused. For each network of an account once in half an hour; engines that decide sign-ins from it at the same time write one each",
    "",
    "the user name as sent",
  ),
  "session.end": aboutAccount(
    "Sessions or tokens were ended before they expired; `reason`: logout, self_service, replaced, saml, operator, operator_one",
    "the account, the service provider, or the caller",
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
    "account",
  ),
} as const;

export type AuditEvent = keyof typeof auditEvents;

const aboutOf: ReadonlyMap<string, Member | undefined> = new Map(
  Object.entries(auditEvents).map(([name, { about }]) => [name, about]),
);

/**
 * Targets are as somebody typed them, and may be anything: only what is one name with a domain says whose it is. `account` is the name that a
 * backend returned.
 */
const oneName = /^[^@\s]+@[^@\s]+$/u;

/** Whether a text of a record is one name with a domain. */
export function isOneName(text = ""): boolean {
  return oneName.test(text);
}

/** The account that a record is about, if it has a name whose domain can be told. */
export function accountOf(record: Readonly<Partial<Record<Member | "event", string | undefined>>>): string | undefined {
  const member = aboutOf.get(record.event ?? "");
  const subject = member && record[member];
  const isOfAccount = member === "account" && subject?.includes("@") === false;
  return isOfAccount || isOneName(subject) ? subject : undefined;
}
