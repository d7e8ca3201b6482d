import { keysWith } from "./family.ts";

const key = keysWith({ owner: "auth-engine", role: "cache" });

/** Longer than any cached result: an epoch that expired earlier would make invalidated results valid again. */
const accountStateTtlSeconds = 2 * 86_400;

const lostResults = "backends are queried again";

/** Changes with each flush of an account; results cached under another value are invalid. */
export const accountEpochKey = key("account epoch", "string", accountStateTtlSeconds, {
  owner: "admin, jobs-worker",
  template: "account:epoch:{<account digest>}",
  lost: lostResults,
});

/** Names of the keys of an account's cached results, by their expiry; at most 1024. */
export const accountResultsKey = key("cached results of an account", "zset", accountStateTtlSeconds, {
  template: "account:results:{<account digest>}",
  lost: "a flush does not list the results that it invalidates",
});

/** Keys of the login names of an account, by their expiry; at most 1024. */
export const accountNamesKey = key("login names of an account", "zset", accountStateTtlSeconds, {
  template: "account:names:{<account digest>}",
  lost: "a flush leaves login names of the account in place until they expire",
});

/** The account behind a login name that is not the account's own. */
export const loginNameKey = key("login name", "string", accountStateTtlSeconds, {
  template: "login-name:{<name digest>}",
  lost: "backends are queried again; a flush by this name does not find its account",
});

/** Changes with each flush of any account. */
export const flushGenerationKey = key("flush generation", "string", accountStateTtlSeconds, {
  owner: "admin, jobs-worker",
  template: "account:flush-generation",
  lost: "none",
});

/** A successful sign-in, encrypted. Written with `storage.redis.positive_cache_ttl`. */
export const cachedResultKey = key("cached result", "string", 86_400, {
  // The longest.
  template: "result:{<account digest>}:<context digest>",
  lost: lostResults,
});

/** The result of a lookup, encrypted. Written with `storage.redis.identity_cache.ttl`. */
export const cachedIdentityKey = key("cached identity", "string", 86_400, {
  // The longest.
  template: "identity:{<account digest>}:<context digest>",
  lost: lostResults,
});
