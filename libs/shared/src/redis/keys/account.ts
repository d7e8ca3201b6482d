import type { KeyFamily } from "./family.ts";

/** Longer than any cached result lives: an epoch that was forgotten earlier would bring dead results back. */
const accountStateTtlSeconds = 2 * 86_400;

const lostResults = "directories are asked again";

/** Changes with each flush of an account: results that were cached under another value are dead. */
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
  lost: "a flush does not name the keys that it kills",
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
  lost: "a flush leaves login names of the account until they expire",
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
  lost: "directories are asked again; a flush by this name does not find its account",
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
  lost: "nothing",
  parts: [],
  build: (prefix) => `${prefix}account:flush-generation`,
};

/** A right login, encrypted. Written with `storage.redis.positive_cache_ttl`. */
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

/** A look-up without a password, encrypted. Written with `storage.redis.identity_cache.ttl`. */
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

/** All of this domain, for the documents. */
export const accountKeyFamilies: readonly KeyFamily<never[]>[] = [
  accountEpochKey,
  accountResultsKey,
  accountNamesKey,
  loginNameKey,
  flushGenerationKey,
  cachedResultKey,
  cachedIdentityKey,
];
