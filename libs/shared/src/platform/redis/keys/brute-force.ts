import type { KeyFamily } from "./family.ts";

/**
 * All keys of one source share a hash tag, the widest network of its address among the rules. A decision
 * therefore needs one script in one slot of a cluster, whatever the number of rules.
 */
const yearSeconds = 8760 * 60 * 60;

const ofSource = {
  owner: "auth-engine",
  role: "state",
} as const;

export const banKey: KeyFamily<[tag: string, rule: string, network: string]> = {
  ...ofSource,
  name: "ban",
  type: "string",
  ttlSeconds: yearSeconds,
  lost: "the network is no longer banned",
  parts: ["widest network", "rule", "network"],
  build: (prefix, tag, rule, network) => `${prefix}bf:{${tag}}:ban:${rule}:${network}`,
};

/** Hash: window number, and failures of known and unknown accounts in it and in the one before. */
export const failureCountKey: KeyFamily<[tag: string, rule: string, network: string]> = {
  ...ofSource,
  name: "failure count",
  type: "hash",
  ttlSeconds: 2 * yearSeconds,
  lost: "failures of the network are counted from zero",
  parts: ["widest network", "rule", "network"],
  build: (prefix, tag, rule, network) => `${prefix}bf:{${tag}}:count:${rule}:${network}`,
};

/** HyperLogLog of the accounts that signed in, one for each window of `tolerate_ttl`. */
export const tolerationKey: KeyFamily<[tag: string, network: string, window: string]> = {
  ...ofSource,
  name: "tolerance",
  type: "string",
  ttlSeconds: 2 * yearSeconds,
  lost: "the network has no tolerance until its users sign in again",
  parts: ["widest network", "network", "window"],
  build: (prefix, tag, network, window) => `${prefix}bf:{${tag}}:good:${network}:${window}`,
};

/** HyperLogLog of guesses, for reporting. */
export const guessesKey: KeyFamily<[tag: string, network: string]> = {
  ...ofSource,
  name: "guesses of a network",
  type: "string",
  ttlSeconds: 86_400,
  lost: "a number in log lines",
  parts: ["widest network", "network"],
  build: (prefix, tag, network) => `${prefix}bf:{${tag}}:guesses:${network}`,
};

/** Hash: keyed digest of a wrong password to when it was counted and last seen. */
export const wrongPasswordsKey: KeyFamily<[tag: string, network: string, user: string]> = {
  ...ofSource,
  name: "wrong passwords",
  type: "hash",
  ttlSeconds: 2 * yearSeconds,
  lost: "a repeated wrong password counts once more",
  parts: ["widest network", "network", "user name"],
  build: (prefix, tag, network, user) => `${prefix}bf:{${tag}}:pw:${network}:${user}`,
};

/**
 * Exists while counted failures of the account could be subtracted by a success. Its value is the time at which its
 * wrong passwords expire (epoch ms), which only the counting script reads; earlier engines write 1.
 */
export const pendingKey: KeyFamily<[tag: string, network: string, user: string]> = {
  ...ofSource,
  name: "pending failures",
  type: "string",
  ttlSeconds: yearSeconds,
  lost: "a mistyped password remains counted after the user has signed in",
  parts: ["widest network", "network", "user name"],
  build: (prefix, tag, network, user) => `${prefix}bf:{${tag}}:pending:${network}:${user}`,
};

/**
 * Exists while a request whose failure was counted may still be counted by another engine. Only for failures that leave no other trace:
 * unknown accounts, and accounts with too many wrong passwords to remember.
 */
export const countedRequestKey: KeyFamily<[tag: string, request: string]> = {
  ...ofSource,
  name: "counted request",
  type: "string",
  // The longest decision; in practice the rest of its deadline and two seconds.
  ttlSeconds: 3600,
  lost: "a request that two engines received counts twice",
  parts: ["widest network", "request"],
  build: (prefix, tag, request) => `${prefix}bf:{${tag}}:req:${request}`,
};

/** Ban keys by the second in which they expire. */
export const banIndexKey: KeyFamily<[shard: string]> = {
  ...ofSource,
  name: "index of bans",
  type: "zset",
  ttlSeconds: yearSeconds,
  lost: "bans remain in force, and are listed again when an engine next refuses a request because of them",
  parts: ["shard"],
  build: (prefix, shard) => `${prefix}bf:bans:{${shard}}`,
};

/** Addresses that sent wrong passwords for an account, by time (s). */
export const accountAddressesKey: KeyFamily<[user: string]> = {
  ...ofSource,
  name: "addresses of an account",
  type: "zset",
  ttlSeconds: 7 * 86_400,
  lost: "a flush of the account finds no addresses",
  parts: ["user name"],
  build: (prefix, user) => `${prefix}bf:addresses:{${user}}`,
};

/** Accounts for which wrong passwords were sent, by time (s). */
export const accountIndexKey: KeyFamily<[shard: string]> = {
  ...ofSource,
  name: "index of attacked accounts",
  type: "zset",
  ttlSeconds: 7 * 86_400,
  lost: "the list of attacked accounts starts empty",
  parts: ["shard"],
  build: (prefix, shard) => `${prefix}bf:accounts:{${shard}}`,
};

/**
 * The three below share the user's hash tag, so that one script reads and writes them. `user` never contains a brace:
 * Redis would then hash something else.
 */
const ofUser = ofSource;

/** Set: digests of an account's distinct wrong passwords, at most 64, over all networks. */
export const accountFailuresKey: KeyFamily<[user: string]> = {
  ...ofUser,
  name: "failures of an account",
  type: "set",
  ttlSeconds: 86_400,
  lost: "failures of the account are counted from zero",
  parts: ["user name"],
  build: (prefix, user) => `${prefix}bf:failed:{${user}}`,
};

/** The number of an account's distinct wrong passwords, once it is large enough for the account delay. */
export const accountDelayKey: KeyFamily<[user: string]> = {
  ...ofUser,
  name: "delayed account",
  type: "string",
  ttlSeconds: 86_400,
  lost: "the account delay starts again with the next new wrong password",
  parts: ["user name"],
  build: (prefix, user) => `${prefix}bf:slowed:{${user}}`,
};

/**
 * Networks from which an account signed in, by the time of the sign-in (s), at most 32; and while the account is under attack, `until` by the time
 * at which its failures expire (ms).
 */
export const knownNetworksKey: KeyFamily<[user: string]> = {
  ...ofUser,
  name: "known networks",
  type: "zset",
  ttlSeconds: yearSeconds,
  lost: "the account delay also applies in the account's own networks, until it signs in from them",
  parts: ["user name"],
  build: (prefix, user) => `${prefix}bf:known:{${user}}`,
};

/** Digests of password hashes with which an account signed in, by time (s), at most 8. Reported through auth-policy. */
export const signedInHashesKey: KeyFamily<[user: string]> = {
  ...ofUser,
  name: "password hashes that signed in",
  type: "zset",
  ttlSeconds: 30 * 86_400,
  lost: "a mail server's report of a failure with the correct password counts once, until the account signs in again",
  parts: ["user name"],
  build: (prefix, user) => `${prefix}bf:hashes:{${user}}`,
};

/** Number of repeated failures that a mail server reported for an account from a network. */
export const repetitionsKey: KeyFamily<[network: string, user: string]> = {
  ...ofSource,
  name: "repeated failures",
  type: "string",
  ttlSeconds: yearSeconds,
  lost: "repetitions of the account are limited from zero",
  parts: ["network", "user name"],
  build: (prefix, network, user) => `${prefix}bf:repeats:{${network}}:${user}`,
};

export const bruteForceKeyFamilies: readonly KeyFamily<never[]>[] = [
  banKey,
  failureCountKey,
  tolerationKey,
  guessesKey,
  wrongPasswordsKey,
  pendingKey,
  countedRequestKey,
  banIndexKey,
  accountAddressesKey,
  accountIndexKey,
  accountFailuresKey,
  accountDelayKey,
  knownNetworksKey,
  signedInHashesKey,
  repetitionsKey,
];
