import type { KeyFamily } from "./family.ts";

/** Longer than any cached result: an epoch that expired earlier would make invalidated results valid again. */
const accountStateTtlSeconds = 2 * 86_400;

const lostResults = "backends are queried again";

/** Changes with each flush of an account; results cached under another value are invalid. */
export const accountEpochKey: KeyFamily<[accountDigest: string]> = {
  name: "account epoch",
  owner: "admin, jobs-worker",
  role: "cache",
  type: "string",
  ttlSeconds: accountStateTtlSeconds,
  lost: lostResults,
  parts: ["account digest"],
  build: (prefix, account) => `${prefix}account:epoch:{${account}}`,
};

/** Names of the keys of an account's cached results, by their expiry; at most 1024. */
export const accountResultsKey: KeyFamily<[accountDigest: string]> = {
  name: "cached results of an account",
  owner: "auth-engine",
  role: "cache",
  type: "zset",
  ttlSeconds: accountStateTtlSeconds,
  lost: "a flush does not list the results that it invalidates",
  parts: ["account digest"],
  build: (prefix, account) => `${prefix}account:results:{${account}}`,
};

/** Keys of the login names of an account, by their expiry; at most 1024. */
export const accountNamesKey: KeyFamily<[accountDigest: string]> = {
  name: "login names of an account",
  owner: "auth-engine",
  role: "cache",
  type: "zset",
  ttlSeconds: accountStateTtlSeconds,
  lost: "a flush leaves login names of the account in place until they expire",
  parts: ["account digest"],
  build: (prefix, account) => `${prefix}account:names:{${account}}`,
};

/** The account behind a login name that is not the account's own. */
export const loginNameKey: KeyFamily<[nameDigest: string]> = {
  name: "login name",
  owner: "auth-engine",
  role: "cache",
  type: "string",
  ttlSeconds: accountStateTtlSeconds,
  lost: "backends are queried again; a flush by this name does not find its account",
  parts: ["name digest"],
  build: (prefix, name) => `${prefix}login-name:{${name}}`,
};

/** Changes with each flush of any account. */
export const flushGenerationKey: KeyFamily<[]> = {
  name: "flush generation",
  owner: "admin, jobs-worker",
  role: "cache",
  type: "string",
  ttlSeconds: accountStateTtlSeconds,
  lost: "none",
  parts: [],
  build: (prefix) => `${prefix}account:flush-generation`,
};

/** A successful sign-in, encrypted. Written with `storage.redis.positive_cache_ttl`. */
export const cachedResultKey: KeyFamily<[accountDigest: string, contextDigest: string]> = {
  name: "cached result",
  owner: "auth-engine",
  role: "cache",
  type: "string",
  // The longest.
  ttlSeconds: 86_400,
  lost: lostResults,
  parts: ["account digest", "context digest"],
  build: (prefix, account, context) => `${prefix}result:{${account}}:${context}`,
};

/** The result of a lookup, encrypted. Written with `storage.redis.identity_cache.ttl`. */
export const cachedIdentityKey: KeyFamily<[accountDigest: string, contextDigest: string]> = {
  name: "cached identity",
  owner: "auth-engine",
  role: "cache",
  type: "string",
  // The longest.
  ttlSeconds: 86_400,
  lost: lostResults,
  parts: ["account digest", "context digest"],
  build: (prefix, account, context) => `${prefix}identity:{${account}}:${context}`,
};

/** All key families of accounts; for the documentation. */
export const accountKeyFamilies: readonly KeyFamily<never[]>[] = [
  accountEpochKey,
  accountResultsKey,
  accountNamesKey,
  loginNameKey,
  flushGenerationKey,
  cachedResultKey,
  cachedIdentityKey,
];
