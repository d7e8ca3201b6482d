import type { KeyFamily } from "./family.ts";

/** One day. Scripts that need values for longer must use a database. */
export const scriptCacheLongestSeconds = 86_400;

/** Values that site scripts store with the module `cache`. */
export const scriptCacheKey: KeyFamily<[keyDigest: string]> = {
  name: "script cache",
  owner: "auth-engine, admin",
  role: "cache",
  type: "string",
  ttlSeconds: scriptCacheLongestSeconds,
  lost: "cached values of site scripts",
  parts: ["key digest"],
  build: (prefix, keyDigest) => `${prefix}script:{${keyDigest}}`,
};
