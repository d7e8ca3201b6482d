export { createSuspensionMerge, isOfSite, type Suspension } from "./suspension.ts";
export * from "./suspensions-redis.ts";
