import type { KeyFamily } from "./family.ts";

const daySeconds = 86_400;

/** One sign-in of one browser: its encrypted record, version and time of last use. Idle ones expire earlier. */
export const sessionKey: KeyFamily<[uid: string]> = {
  name: "browser session",
  owner: "idp",
  role: "state",
  type: "hash",
  ttlSeconds: 400 * daySeconds,
  lost: "the user signs in again",
  parts: ["session"],
  build: (prefix, uid) => `${prefix}session:{${uid}}`,
};

/** The session that a cookie value stands for. */
export const sessionIdKey: KeyFamily<[sidDigest: string]> = {
  name: "session cookie",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 400 * daySeconds,
  lost: "the user of the browser with this cookie signs in again",
  parts: ["cookie digest"],
  build: (prefix, sidDigest) => `${prefix}session:id:{${sidDigest}}`,
};

/** The sessions of an account, by their end. */
export const accountSessionsKey: KeyFamily<[accountDigest: string]> = {
  name: "sessions of an account",
  owner: "idp",
  role: "state",
  type: "zset",
  ttlSeconds: 400 * daySeconds,
  lost: "sessions of the account are not listed and not ended together with others",
  parts: ["account digest"],
  build: (prefix, accountDigest) => `${prefix}session:account:{${accountDigest}}`,
};

/** One sign-in flow of one browser tab: its encrypted record and version. */
export const flowKey: KeyFamily<[idDigest: string]> = {
  name: "flow",
  owner: "idp",
  role: "state",
  type: "hash",
  ttlSeconds: 3600,
  lost: "the sign-in in progress starts over at the application",
  parts: ["flow digest"],
  build: (prefix, idDigest) => `${prefix}flow:{${idDigest}}`,
};

/** The flow that a browser began last, for a page that is opened without its flow; encrypted. */
export const latestFlowKey: KeyFamily<[browserDigest: string]> = {
  name: "latest flow",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 3600,
  lost: "a page opened without its flow reports that the flow has expired",
  parts: ["browser digest"],
  build: (prefix, browserDigest) => `${prefix}flow:latest:{${browserDigest}}`,
};

/** Attempts at TOTP codes of an account, after the correct password. */
export const factorAttemptsKey: KeyFamily<[accountDigest: string]> = {
  name: "factor attempts",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 600,
  lost: "attempts at second factors of the account are counted from zero",
  parts: ["account digest"],
  build: (prefix, accountDigest) => `${prefix}factor:attempts:{${accountDigest}}`,
};

/** Attempts at recovery codes and at passkeys as second factors, after the correct password. */
export const otherFactorAttemptsKey: KeyFamily<[accountDigest: string, factor: string]> = {
  name: "attempts at other factors",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 600,
  lost: "attempts at this factor of the account are counted from zero",
  parts: ["account digest", "factor"],
  build: (prefix, accountDigest, factor) => `${prefix}factor:attempts:{${accountDigest}}:${factor}`,
};

/** Consecutive wrong codes of one factor after the correct password. A correct code or an operator resets it. */
export const factorFailuresKey: KeyFamily<[accountDigest: string, factor: string]> = {
  name: "consecutive wrong codes",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 400 * daySeconds,
  lost: "wrong codes of the account are counted from zero, and a locked factor is unlocked",
  parts: ["account digest", "factor"],
  build: (prefix, accountDigest, factor) => `${prefix}factor:failures:{${accountDigest}}:${factor}`,
};

/** Attempts at a second factor in a flow that has not yet disclosed whether its password was right. */
export const factorFlowAttemptsKey: KeyFamily<[accountDigest: string, flowDigest: string]> = {
  name: "factor attempts of a flow",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 600,
  lost: "attempts at second factors in this flow are counted from zero",
  parts: ["account digest", "flow digest"],
  build: (prefix, accountDigest, flowDigest) => `${prefix}factor:flow:{${accountDigest}}:${flowDigest}`,
};

/** Attempts to sign in with a passkey alone, from one IPv4 address or IPv6 /64. */
export const passkeyAttemptsKey: KeyFamily<[sourceDigest: string]> = {
  name: "passkey attempts",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 600,
  lost: "passkey attempts of this source are counted from zero",
  parts: ["source digest"],
  build: (prefix, sourceDigest) => `${prefix}passkey:attempts:{${sourceDigest}}`,
};

/** A passkey that was removed from its account. */
export const removedPasskeyKey: KeyFamily<[credentialDigest: string]> = {
  name: "removed passkey",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 400 * 86_400,
  lost: "a password manager continues to offer the passkey",
  parts: ["credential digest"],
  build: (prefix, credentialDigest) => `${prefix}passkey:removed:{${credentialDigest}}`,
};

/** A time step whose code of one secret an account has used. */
export const usedTotpStepKey: KeyFamily<[secretDigest: string, step: string]> = {
  name: "used TOTP step",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 600,
  lost: "a TOTP code used in the last minutes is accepted again",
  parts: ["digest of account and secret", "time step"],
  build: (prefix, secretDigest, step) => `${prefix}factor:totp:{${secretDigest}}:${step}`,
};

/** A challenge or a secret being set up that one browser must answer; encrypted, used once. */
export const pendingProofKey: KeyFamily<[kind: string, ownerDigest: string]> = {
  name: "pending proof",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 600,
  lost: "a factor that is being set up or verified starts over",
  parts: ["kind", "digest of its session or flow"],
  build: (prefix, kind, ownerDigest) => `${prefix}factor:pending:${kind}:{${ownerDigest}}`,
};

/** An Apple profile that a user has just created, with its app password; encrypted, fetched once. */
export const mailProfileKey: KeyFamily<[tokenDigest: string]> = {
  name: "mail profile",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 600,
  lost: "the user creates another profile",
  parts: ["digest of its link"],
  build: (prefix, tokenDigest) => `${prefix}mail:profile:{${tokenDigest}}`,
};

/** Browsers that have signed in to an account, by their last use: at most 32. */
export const knownDevicesKey: KeyFamily<[accountDigest: string]> = {
  name: "known devices",
  owner: "idp",
  role: "state",
  type: "zset",
  ttlSeconds: 400 * daySeconds,
  lost: "the next sign-in in each browser is reported as one from a new device",
  parts: ["account digest"],
  build: (prefix, accountDigest) => `${prefix}device:known:{${accountDigest}}`,
};

/**
 * When each second factor of an account was set up, and whether that proves anything, by keyed digest of the factor; at most 64. A flush
 * of the account does not remove it.
 */
export const enrolmentsKey: KeyFamily<[accountDigest: string]> = {
  name: "enrolments of second factors",
  owner: "idp",
  role: "state",
  type: "hash",
  ttlSeconds: 400 * daySeconds,
  lost: "the account's second factors count as having existed since the records began; those set up during an attack too",
  parts: ["keyed digest of the account"],
  build: (prefix, accountDigest) => `${prefix}factor:enrolled:{${accountDigest}}`,
};

/** The minute since which enrolments are recorded: second factors without a record existed before. */
export const enrolmentsBeganKey: KeyFamily<[]> = {
  name: "begin of the records of enrolments",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 0,
  bound: "one key",
  lost: "second factors without a record prove nothing about suspicious sign-ins in the following `auth.risk.known_after`",
  parts: [],
  build: (prefix) => `${prefix}factor:enrolled-since`,
};

/** Entries of one shard of failed sign-ins; there are 64 shards. */
export const failedSignInsPerShard = 512;

/** Failed sign-ins on the pages, by time, encrypted: at most 512 in each of 64 shards. */
export const failedSignInsKey: KeyFamily<[shard: string]> = {
  name: "failed sign-ins",
  owner: "idp",
  role: "state",
  type: "zset",
  ttlSeconds: 7 * daySeconds,
  lost: "`postern why` does not find earlier failures by reference; the log still has them",
  parts: ["shard"],
  build: (prefix, shard) => `${prefix}signin:failed:{${shard}}`,
};

/** Keys of browsers that sign in. */
export const browserKeys: readonly KeyFamily<never[]>[] = [
  sessionKey,
  sessionIdKey,
  accountSessionsKey,
  flowKey,
  latestFlowKey,
  factorAttemptsKey,
  otherFactorAttemptsKey,
  factorFailuresKey,
  factorFlowAttemptsKey,
  passkeyAttemptsKey,
  removedPasskeyKey,
  usedTotpStepKey,
  pendingProofKey,
  mailProfileKey,
  knownDevicesKey,
  enrolmentsKey,
  enrolmentsBeganKey,
  failedSignInsKey,
];
