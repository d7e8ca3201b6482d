export { type BoundedCache, type BoundedCacheOptions, createBoundedCache } from "./bounded-cache.ts";
export { createHotCache, type HotCache } from "./hot-cache.ts";
export { createRenewedMap, type RenewedMap } from "./renewed-map.ts";
export { createRenewedSet, type RenewedSet } from "./renewed-set.ts";
