export { type BoundedCache, type BoundedCacheOptions, createBoundedCache } from "./bounded-cache.ts";
export { createHotCache, type HotCache, remembering } from "./hot-cache.ts";
export { createRenewedMap, createRenewedSet, type RenewedMap, type RenewedSet } from "./renewed-map.ts";
