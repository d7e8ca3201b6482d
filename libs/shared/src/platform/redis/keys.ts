import { accountKeyFamilies } from "./keys/account.ts";
import { browserKeyFamilies } from "./keys/browser.ts";
import { bruteForceKeyFamilies } from "./keys/brute-force.ts";
import { clientKeyFamilies } from "./keys/clients.ts";
import { consoleKeyFamilies } from "./keys/console.ts";
import { type KeyFamily, keysWith } from "./keys/family.ts";
import { historyKeyFamilies } from "./keys/history.ts";
import { jobKeyFamilies } from "./keys/jobs.ts";
import { oidcKeyFamilies } from "./keys/oidc.ts";
import { originKeyFamilies } from "./keys/origins.ts";
import { regionKeyFamilies } from "./keys/regions.ts";
import { rehearsalKeyFamilies } from "./keys/rehearsal.ts";
import { riskKeyFamilies } from "./keys/risk.ts";
import { rollupKeyFamilies } from "./keys/rollups.ts";
import { samlKeyFamilies } from "./keys/saml.ts";
import { scriptKeyFamilies } from "./keys/scripts.ts";
import { shadowKeyFamilies } from "./keys/shadow.ts";

const { key, all } = keysWith({ owner: "idp, admin", role: "state" });

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

/** All key families; for the documentation. */
export const keyFamilies: readonly KeyFamily<never[]>[] = [
  all,
  browserKeyFamilies,
  accountKeyFamilies,
  bruteForceKeyFamilies,
  consoleKeyFamilies,
  clientKeyFamilies,
  historyKeyFamilies,
  jobKeyFamilies,
  originKeyFamilies,
  regionKeyFamilies,
  rehearsalKeyFamilies,
  riskKeyFamilies,
  rollupKeyFamilies,
  scriptKeyFamilies,
  shadowKeyFamilies,
  oidcKeyFamilies,
  samlKeyFamilies,
].flat();
