export { createRenewedMap, type RenewedMap } from "./renewed-map.ts";
export { createRenewedSet, type RenewedSet } from "./renewed-set.ts";
