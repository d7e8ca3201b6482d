import { keysWith } from "./family.ts";

const key = keysWith({ owner: "idp", role: "state" });

const daySeconds = 86_400;

/** One sign-in of one browser: its encrypted record, version and time of last use. Idle ones expire earlier. */
export const sessionKey = key("browser session", "hash", 400 * daySeconds, {
  template: "session:{<session>}",
  lost: "the user signs in again",
});

/** The session that a cookie value stands for. */
export const sessionIdKey = key("session cookie", "string", 400 * daySeconds, {
  template: "session:id:{<cookie digest>}",
  lost: "the user of the browser with this cookie signs in again",
});

/** The sessions of an account, by their end. */
export const accountSessionsKey = key("sessions of an account", "zset", 400 * daySeconds, {
  template: "session:account:{<account digest>}",
  lost: "sessions of the account are not listed and not ended together with others",
});

/** One sign-in flow of one browser tab: its encrypted record and version. */
export const flowKey = key("flow", "hash", 3600, {
  template: "flow:{<flow digest>}",
  lost: "the sign-in in progress starts over at the application",
});

/** The flow that a browser began last, for a page that is opened without its flow; encrypted. */
export const latestFlowKey = key("latest flow", "string", 3600, {
  template: "flow:latest:{<browser digest>}",
  lost: "a page opened without its flow reports that the flow has expired",
});

/** Browsers on which the user of an account is not asked for the second factor: digests of their cookies, and encrypted details. */
export const rememberedDevicesKey = key("remembered devices", "hash", 400 * daySeconds, {
  template: "factor:devices:{<account digest>}",
  lost: "the user is asked for the second factor on every device",
});

/** The code with which a user who lost the second factor may sign in once: its digest, wrong tries, and who redeemed it. */
export const lostPhoneCodeKey = key("lost-phone code", "hash", 3600, {
  template: "factor:lost-phone:{<account digest>}",
  lost: "the code does not work; an operator creates another",
});

/** Attempts at TOTP codes of an account, after the correct password. */
export const factorAttemptsKey = key("factor attempts", "string", 600, {
  template: "factor:attempts:{<account digest>}",
  lost: "attempts at second factors of the account are counted from zero",
});

/** Attempts at recovery codes and at passkeys as second factors, after the correct password. */
export const otherFactorAttemptsKey = key("attempts at other factors", "string", 600, {
  template: "factor:attempts:{<account digest>}:<factor>",
  lost: "attempts at this factor of the account are counted from zero",
});

/** Consecutive wrong codes of one factor after the correct password. A correct code or an operator resets it. */
export const factorFailuresKey = key("consecutive wrong codes", "string", 400 * daySeconds, {
  template: "factor:failures:{<account digest>}:<factor>",
  lost: "wrong codes of the account are counted from zero, and a locked factor is unlocked",
});

/** Attempts at a second factor in a flow that has not yet disclosed whether its password was right. */
export const factorFlowAttemptsKey = key("factor attempts of a flow", "string", 600, {
  template: "factor:flow:{<account digest>}:<flow digest>",
  lost: "attempts at second factors in this flow are counted from zero",
});

/** Attempts to sign in with a passkey alone, from one IPv4 address or IPv6 /64. */
export const passkeyAttemptsKey = key("passkey attempts", "string", 600, {
  template: "passkey:attempts:{<source digest>}",
  lost: "passkey attempts of this source are counted from zero",
});

/** A passkey that was removed from its account. */
export const removedPasskeyKey = key("removed passkey", "string", 400 * 86_400, {
  template: "passkey:removed:{<credential digest>}",
  lost: "a password manager continues to offer the passkey",
});

/** A time step whose code of one secret an account has used. */
export const usedTotpStepKey = key("used TOTP step", "string", 600, {
  template: "factor:totp:{<digest of account and secret>}:<time step>",
  lost: "a TOTP code used in the last minutes is accepted again",
});

/** A recovery code that is being redeemed in one sign-in, or was; with several regions, also at the account's home, without the sign-in. */
export const redeemedRecoveryCodeKey = key("recovery code of a sign-in", "string", 600, {
  template: "factor:recovery:{<digest of account, code and, in its region, sign-in>}",
  lost: "a form with a recovery code that a browser sends twice is answered as wrong the second time",
});

/** A challenge or a secret being set up that one browser must answer; encrypted, used once. */
export const pendingProofKey = key("pending proof", "string", 600, {
  template: "factor:pending:<kind>:{<digest of its session or flow>}",
  lost: "a factor that is being set up or verified starts over",
});

/** An Apple profile that a user has just created, with its app password; encrypted, fetched once. */
export const mailProfileKey = key("mail profile", "string", 600, {
  template: "mail:profile:{<digest of its link>}",
  lost: "the user creates another profile",
});

/** Browsers that have signed in to an account, by their last use: at most 32. */
export const knownDevicesKey = key("known devices", "zset", 400 * daySeconds, {
  template: "device:known:{<account digest>}",
  lost: "the next sign-in in each browser is reported as one from a new device",
});

/**
 * When each second factor of an account was set up, and whether that proves anything, by keyed digest of the factor; at most 64. A flush
 * of the account does not remove it.
 */
export const enrolmentsKey = key("enrolments of second factors", "hash", 400 * daySeconds, {
  template: "factor:enrolled:{<keyed digest of the account>}",
  lost: "the account's second factors count as having existed since the records began; those set up during an attack too",
});

/** The minute since which enrolments are recorded: second factors without a record existed before. */
export const enrolmentsBeganKey = key("begin of the records of enrolments", "string", 0, {
  template: "factor:enrolled-since",
  bound: "one key",
  lost: "second factors without a record prove nothing about suspicious sign-ins in the following `auth.risk.known_after`",
});

/** Entries of one shard of failed sign-ins; there are 64 shards. */
export const failedSignInsPerShard = 512;

/** Failed sign-ins on the pages, by time, encrypted: at most 512 in each of 64 shards. */
export const failedSignInsKey = key("failed sign-ins", "zset", 7 * daySeconds, {
  template: "signin:failed:{<shard>}",
  lost: "`postern why` does not find earlier failures by reference; the log still has them",
});
