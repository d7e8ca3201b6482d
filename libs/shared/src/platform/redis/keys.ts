import { accountKeyFamilies } from "./keys/account.ts";
import { browserKeys } from "./keys/browser.ts";
import { bruteForceKeyFamilies } from "./keys/brute-force.ts";
import { clientKeyFamilies } from "./keys/clients.ts";
import { consoleKeyFamilies } from "./keys/console.ts";
import type { KeyFamily } from "./keys/family.ts";
import { historyKeyFamilies } from "./keys/history.ts";
import { jobKeyFamilies } from "./keys/jobs.ts";
import { oidcKeyFamilies } from "./keys/oidc.ts";
import { riskKeyFamilies } from "./keys/risk.ts";
import { samlKeys } from "./keys/saml.ts";
import { scriptCacheKey } from "./keys/scripts.ts";

export type { KeyFamily };

/** Written by health checks to verify that this Redis accepts writes; a replica after a failover does not. */
export const probeKey: KeyFamily<[service: string, instance: string]> = {
  name: "probe",
  owner: "every service",
  role: "state",
  type: "string",
  ttlSeconds: 30,
  lost: "none",
  parts: ["service", "instance"],
  build: (prefix, service, instance) => `${prefix}probe:{${service}:${instance}}`,
};

/** The failure budget of one client address, as the time (µs) at which it is full again. */
export const failureBudgetKey: KeyFamily<[addressKey: string]> = {
  name: "failure budget",
  owner: "gateway",
  role: "state",
  type: "string",
  // The longest; it goes as soon as the budget is full.
  ttlSeconds: 86_400,
  lost: "the address has a full failure budget again",
  parts: ["address"],
  build: (prefix, addressKey) => `${prefix}budget:{${addressKey}}`,
};

/** Longest lifetime of an access token, and therefore of its revocation (one day). */
const longestTokenSeconds = 86_400;

/** Access tokens revoked before they expire, by `jti`, or by family for those of the JWT endpoints. */
export const deniedTokenKey: KeyFamily<[id: string]> = {
  name: "denied token",
  owner: "idp, admin",
  role: "state",
  type: "string",
  ttlSeconds: longestTokenSeconds,
  lost: "individually revoked tokens are accepted again until they expire",
  parts: ["id"],
  build: (prefix, id) => `${prefix}token:denied:{${id}}`,
};

/** A number that is raised to revoke all tokens of a subject: tokens with a lower one are invalid. */
export const tokenEpochKey: KeyFamily<[subjectDigest: string]> = {
  name: "token epoch",
  owner: "idp, admin",
  role: "state",
  type: "string",
  ttlSeconds: longestTokenSeconds,
  lost: "tokens of users whose tokens were revoked together are accepted again until they expire",
  parts: ["subject digest"],
  build: (prefix, subjectDigest) => `${prefix}token:epoch:{${subjectDigest}}`,
};

/** The one refresh token of a family that may still be redeemed, by its `jti`. Written with the token's own life. */
export const refreshFamilyKey: KeyFamily<[family: string]> = {
  name: "refresh family",
  owner: "admin",
  role: "state",
  type: "string",
  ttlSeconds: 30 * longestTokenSeconds,
  lost: "holders of refresh tokens of the JWT endpoints sign in again",
  parts: ["family"],
  build: (prefix, family) => `${prefix}jwt:refresh:{${family}}`,
};

/** All key families; for the documentation. */
export const keyFamilies: readonly KeyFamily<never[]>[] = [
  probeKey,
  failureBudgetKey,
  deniedTokenKey,
  tokenEpochKey,
  refreshFamilyKey,
  ...browserKeys,
  ...accountKeyFamilies,
  ...bruteForceKeyFamilies,
  ...consoleKeyFamilies,
  ...clientKeyFamilies,
  ...historyKeyFamilies,
  ...jobKeyFamilies,
  ...riskKeyFamilies,
  scriptCacheKey,
  ...oidcKeyFamilies,
  ...samlKeys,
];
