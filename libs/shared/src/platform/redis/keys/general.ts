import { keysWith } from "./family.ts";

const key = keysWith({ owner: "idp, admin", role: "state" });

/** Written by health checks to verify that this Redis accepts writes; a replica after a failover does not. */
export const probeKey = key("probe", "string", 30, {
  owner: "every service",
  template: "probe:{<service>:<instance>}",
  lost: "none",
});

/** The failure budget of one client address, as the time (µs) at which it is full again. */
export const failureBudgetKey = key("failure budget", "string", 86_400, {
  // The longest; it goes as soon as the budget is full.
  owner: "gateway",
  template: "budget:{<address>}",
  lost: "the address has a full failure budget again",
});

/** Longest lifetime of an access token, and therefore of its revocation (one day). */
const longestTokenSeconds = 86_400;

/** Access tokens revoked before they expire, by `jti`, or by family for those of the JWT endpoints. */
export const deniedTokenKey = key("denied token", "string", longestTokenSeconds, {
  template: "token:denied:{<id>}",
  lost: "individually revoked tokens are accepted again until they expire",
});

/** A number that is raised to revoke all tokens of a subject: tokens with a lower one are invalid. */
export const tokenEpochKey = key("token epoch", "string", longestTokenSeconds, {
  template: "token:epoch:{<subject digest>}",
  lost: "tokens of users whose tokens were revoked together are accepted again until they expire",
});

/** The one refresh token of a family that may still be redeemed, by its `jti`. Written with the token's own life. */
export const refreshFamilyKey = key("refresh family", "string", 30 * longestTokenSeconds, {
  owner: "admin",
  template: "jwt:refresh:{<family>}",
  lost: "holders of refresh tokens of the JWT endpoints sign in again",
});

/**
 * Accounts that operators have suspended, each with its end and the text for its user, and for a day those that were resumed. The field with
 * the empty name changes with every write.
 */
export const suspensionsKey = key("suspended accounts", "hash", 0, {
  owner: "admin; every service that still knows them, after a loss",
  template: "suspensions",
  bound: "10,000 accounts",
  lost: "running services put back what they know; without any, the accounts are no longer suspended",
});

/** Digests of clients or service providers of the configuration by their last use (s); at most 10,000 of each. */
export const clientUsesKey = key("last use of clients", "zset", 400 * 86_400, {
  owner: "idp",
  template: "clients:used:{<oidc or saml>}",
  lost: "operators do not see when an application was last used",
});

/** The session of one operator in the console with its last searches, encrypted. Each request prolongs it, up to eight hours in all. */
export const consoleSessionKey = key("console session", "string", 900, {
  owner: "admin",
  template: "console:session:{<cookie digest>}",
  lost: "the operator signs in again",
});

/** A sign-in to the console that the identity provider has not answered yet, encrypted. */
export const consoleSignInKey = key("sign-in to the console", "string", 600, {
  owner: "admin",
  template: "console:sign-in:{<cookie digest>}",
  lost: "the sign-in in progress starts over",
});

/** Digest of the code that vouches for the second factor of a new operator. Used once. */
export const consoleInvitationKey = key("invitation to the console", "string", 86_400, {
  owner: "admin",
  template: "console:invitation:{<keyed digest of the account>}",
  lost: "the operator needs a new code",
});

/** One day. Scripts that need values for longer must use a database. */
export const scriptCacheLongestSeconds = 86_400;

/** Values that site scripts store with the module `cache`. */
export const scriptCacheKey = key("script cache", "string", scriptCacheLongestSeconds, {
  owner: "auth-engine, admin",
  role: "cache",
  template: "script:{<key digest>}",
  lost: "cached values of site scripts",
});
