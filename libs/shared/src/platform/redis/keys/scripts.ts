import { keysWith } from "./family.ts";

const { key, all } = keysWith({ owner: "auth-engine, admin", role: "cache" });

export { all as scriptKeyFamilies };

/** One day. Scripts that need values for longer must use a database. */
export const scriptCacheLongestSeconds = 86_400;

/** Values that site scripts store with the module `cache`. */
export const scriptCacheKey = key("script cache", "string", scriptCacheLongestSeconds, {
  template: "script:{<key digest>}",
  lost: "cached values of site scripts",
});
