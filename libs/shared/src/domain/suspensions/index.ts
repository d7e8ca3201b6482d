export { createSuspensionMerge } from "./merge-suspensions.ts";
export { isOfSite, type Suspension } from "./suspension.ts";
export * from "./suspensions-redis.ts";
