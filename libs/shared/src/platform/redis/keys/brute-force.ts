import { keysWith } from "./family.ts";

/**
 * All keys of one source share a hash tag, the widest network of its address among the rules. A decision therefore needs one script in one
 * slot of a cluster, whatever the number of rules. The keys of one user share the user's hash tag, so that one script reads and writes them.
 * A user's name in a key never contains a brace: Redis would then hash something else.
 */
const key = keysWith({ owner: "auth-engine", role: "state" });

const yearSeconds = 8760 * 60 * 60;

export const banKey = key("ban", "string", yearSeconds, {
  template: "bf:{<widest network>}:ban:<rule>:<network>",
  lost: "the network is no longer banned",
});

/** Hash: window number, and failures of known and unknown accounts in it and in the one before. */
export const failureCountKey = key("failure count", "hash", 2 * yearSeconds, {
  template: "bf:{<widest network>}:count:<rule>:<network>",
  lost: "failures of the network are counted from zero",
});

/** HyperLogLog of the accounts that signed in, one for each window of `tolerate_ttl`. */
export const tolerationKey = key("tolerance", "string", 2 * yearSeconds, {
  template: "bf:{<widest network>}:good:<network>:<window>",
  lost: "the network has no tolerance until its users sign in again",
});

/** HyperLogLog of guesses, for reporting. */
export const guessesKey = key("guesses of a network", "string", 86_400, {
  template: "bf:{<widest network>}:guesses:<network>",
  lost: "a number in log lines",
});

/** Hash: keyed digest of a wrong password to when it was counted and last seen. */
export const wrongPasswordsKey = key("wrong passwords", "hash", 2 * yearSeconds, {
  template: "bf:{<widest network>}:pw:<network>:<user name>",
  lost: "a repeated wrong password counts once more",
});

/**
 * Exists while counted failures of the account could be subtracted by a success. Its value is the time at which its
 * wrong passwords expire (epoch ms), which only the counting script reads; earlier engines write 1.
 */
export const pendingKey = key("pending failures", "string", yearSeconds, {
  template: "bf:{<widest network>}:pending:<network>:<user name>",
  lost: "a mistyped password remains counted after the user has signed in",
});

/**
 * Exists while a request whose failure was counted may still be counted by another engine. Only for failures that leave no other trace:
 * unknown accounts, and accounts with too many wrong passwords to remember.
 */
export const countedRequestKey = key("counted request", "string", 3600, {
  // The longest decision; in practice the rest of its deadline and two seconds.
  template: "bf:{<widest network>}:req:<request>",
  lost: "a request that two engines received counts twice",
});

/** Ban keys by the second in which they expire. */
export const banIndexKey = key("index of bans", "zset", yearSeconds, {
  template: "bf:bans:{<shard>}",
  lost: "bans remain in force, and are listed again when an engine next refuses a request because of them",
});

/** Addresses that sent wrong passwords for an account, by time (s). */
export const accountAddressesKey = key("addresses of an account", "zset", 7 * 86_400, {
  template: "bf:addresses:{<user name>}",
  lost: "a flush of the account finds no addresses",
});

/** Accounts for which wrong passwords were sent, by time (s). */
export const accountIndexKey = key("index of attacked accounts", "zset", 7 * 86_400, {
  template: "bf:accounts:{<shard>}",
  lost: "the list of attacked accounts starts empty",
});

/** Set: digests of an account's distinct wrong passwords, at most 64, over all networks. */
export const accountFailuresKey = key("failures of an account", "set", 86_400, {
  template: "bf:failed:{<user name>}",
  lost: "failures of the account are counted from zero",
});

/** The number of an account's distinct wrong passwords, once it is large enough for the account delay. */
export const accountDelayKey = key("delayed account", "string", 86_400, {
  template: "bf:slowed:{<user name>}",
  lost: "the account delay starts again with the next new wrong password",
});

/** Written twice a second by an engine, to prove that Redis reports every change to it. */
export const trackingProbeKey = key("probe of client tracking", "string", 10, {
  template: "tracked:{<instance>}:<number>",
  lost: "none",
});

/**
 * Networks from which an account signed in, by the time of the sign-in (s), about 32; and while the account is under attack, `until` by the time
 * at which its failures expire (ms).
 */
export const knownNetworksKey = key("known networks", "zset", yearSeconds, {
  template: "bf:known:{<user name>}",
  lost: "the account delay also applies in the account's own networks, until it signs in from them",
});

/** Digests of password hashes with which an account signed in, by time (s), at most 8. Reported through auth-policy. */
export const signedInHashesKey = key("password hashes that signed in", "zset", 30 * 86_400, {
  template: "bf:hashes:{<user name>}",
  lost: "a mail server's report of a failure with the correct password counts once, until the account signs in again",
});

/** Number of repeated failures that a mail server reported for an account from a network. */
export const repetitionsKey = key("repeated failures", "string", yearSeconds, {
  template: "bf:repeats:{<network>}:<user name>",
  lost: "repetitions of the account are limited from zero",
});

/** Identifiers of the bans of several regions, and of those that were removed. Only with `runtime.regions`. */
export const banOriginsKey = key("bans of other regions", "hash", yearSeconds, {
  owner: "jobs-worker, admin",
  template: "bf:{<widest network>}:origins:<rule>:<network>",
  lost: "a ban that was removed may return, if another region sends it again",
});

/** What other regions counted for a network, one entry each. Only with `runtime.regions`. */
export const networkElsewhereKey = key("failures in other regions", "string", 2 * yearSeconds, {
  owner: "jobs-worker, admin",
  template: "bf:{<widest network>}:elsewhere:<rule>:<network>",
  lost: "failures that other regions counted are not added until they count another one",
});

/** What other regions counted for an account. Only with `runtime.regions`. */
export const accountElsewhereKey = key("failures of an account in other regions", "string", 2 * 86_400, {
  owner: "jobs-worker, admin",
  template: "bf:elsewhere:{<user name>}",
  lost: "failures that other regions counted are not added until they count another one",
});

/** Counts that have changed, by version, for the other regions. Only with `runtime.regions`. */
export const changedCountsKey = key("changed counts", "zset", 7 * 86_400, {
  owner: "auth-engine, admin, jobs-worker",
  template: "regions:counts",
  bound: "200,000 counts",
  lost: "other regions learn of a count when it next changes",
});
