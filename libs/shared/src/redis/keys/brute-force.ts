import type { KeyFamily } from "./family.ts";

/**
 * Everything about one source of guesses lies under one hash tag, the widest network that the rules make of its
 * address: so a decision needs one script in one slot of a cluster, however many rules there are.
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
  lost: "the network may guess again until it is banned again",
  parts: ["widest network", "rule", "network"],
  build: (prefix, tag, rule, network) => `${prefix}bf:{${tag}}:ban:${rule}:${network}`,
};

/** Hash: window number, and failures of known and unknown accounts in it and in the one before. */
export const failureCountKey: KeyFamily<[tag: string, rule: string, network: string]> = {
  ...ofSource,
  name: "failure count",
  type: "hash",
  ttlSeconds: 2 * yearSeconds,
  lost: "the network's count begins anew",
  parts: ["widest network", "rule", "network"],
  build: (prefix, tag, rule, network) => `${prefix}bf:{${tag}}:count:${rule}:${network}`,
};

/** HyperLogLog of the accounts that signed in, one for each window of `tolerate_ttl`. */
export const tolerationKey: KeyFamily<[tag: string, network: string, window: string]> = {
  ...ofSource,
  name: "toleration",
  type: "string",
  ttlSeconds: 2 * yearSeconds,
  lost: "the network is tolerated no more failures than any other, until its users sign in again",
  parts: ["widest network", "network", "window"],
  build: (prefix, tag, network, window) => `${prefix}bf:{${tag}}:good:${network}:${window}`,
};

/** HyperLogLog of guesses, for reporting. */
export const guessesKey: KeyFamily<[tag: string, network: string]> = {
  ...ofSource,
  name: "guesses of a network",
  type: "string",
  ttlSeconds: 86_400,
  lost: "a figure in logs",
  parts: ["widest network", "network"],
  build: (prefix, tag, network) => `${prefix}bf:{${tag}}:guesses:${network}`,
};

/** Hash: keyed digest of a wrong password to when it was counted and last seen. */
export const wrongPasswordsKey: KeyFamily<[tag: string, network: string, user: string]> = {
  ...ofSource,
  name: "wrong passwords",
  type: "hash",
  ttlSeconds: 2 * yearSeconds,
  lost: "a wrong password that a client repeats counts once more",
  parts: ["widest network", "network", "user name"],
  build: (prefix, tag, network, user) => `${prefix}bf:{${tag}}:pw:${network}:${user}`,
};

/**
 * There while failures of the account are counted that its success would take back. Its value is when its wrong passwords
 * end (epoch ms), which nobody but the counting script reads; earlier engines write 1.
 */
export const pendingKey: KeyFamily<[tag: string, network: string, user: string]> = {
  ...ofSource,
  name: "pending failures",
  type: "string",
  ttlSeconds: yearSeconds,
  lost: "a mistyped password stays counted although its user signed in",
  parts: ["widest network", "network", "user name"],
  build: (prefix, tag, network, user) => `${prefix}bf:{${tag}}:pending:${network}:${user}`,
};

/** Ban keys by the second in which they end. */
export const banIndexKey: KeyFamily<[shard: string]> = {
  ...ofSource,
  name: "index of bans",
  type: "zset",
  ttlSeconds: yearSeconds,
  lost: "bans hold, and are listed again once an engine refuses somebody by them",
  parts: ["shard"],
  build: (prefix, shard) => `${prefix}bf:bans:{${shard}}`,
};

/** Addresses from which an account was guessed, by time (s). */
export const accountAddressesKey: KeyFamily<[user: string]> = {
  ...ofSource,
  name: "addresses of an account",
  type: "zset",
  ttlSeconds: 7 * 86_400,
  lost: "a flush by account finds no addresses",
  parts: ["user name"],
  build: (prefix, user) => `${prefix}bf:addresses:{${user}}`,
};

/** Accounts that were guessed, by time (s). */
export const accountIndexKey: KeyFamily<[shard: string]> = {
  ...ofSource,
  name: "index of guessed accounts",
  type: "zset",
  ttlSeconds: 7 * 86_400,
  lost: "the list of guessed accounts begins anew",
  parts: ["shard"],
  build: (prefix, shard) => `${prefix}bf:accounts:{${shard}}`,
};

export const bruteForceKeyFamilies: readonly KeyFamily<never[]>[] = [
  banKey,
  failureCountKey,
  tolerationKey,
  guessesKey,
  wrongPasswordsKey,
  pendingKey,
  banIndexKey,
  accountAddressesKey,
  accountIndexKey,
];
