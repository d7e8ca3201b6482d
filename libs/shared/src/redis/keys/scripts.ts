import type { KeyFamily } from "./family.ts";

/** One day: what a script wants to know for longer belongs into a database. */
export const scriptCacheLongestSeconds = 86_400;

/** What site scripts keep with their module `cache`. */
export const scriptCacheKey: KeyFamily<[keyDigest: string]> = {
  name: "script cache",
  owner: "auth-engine, admin",
  role: "cache",
  type: "string",
  ttlSeconds: scriptCacheLongestSeconds,
  lost: "what site scripts remembered",
  parts: ["key digest"],
  build: (prefix, keyDigest) => `${prefix}script:{${keyDigest}}`,
};
