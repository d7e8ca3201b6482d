export { type Ban, createBanIndex, parseBan } from "./ban.ts";
export * from "./bans-by-end.ts";
export {
  type FlushDeps,
  type FlushedScopes,
  type FlushScope,
  forgetWrongPasswords,
  unindex as unindexBans,
} from "./flush.ts";
export { networkOf } from "./network.ts";
export { createNetworkState, type RuleState } from "./network-state.ts";
export * from "./records.ts";
export * from "./regions/count-marks.ts";
export * from "./regions/known-networks.ts";
export * from "./regions/regional-flush.ts";
export * from "./regions/shared-bans.ts";
export * from "./regions/shared-counts.ts";
export { type BruteForceRules, bruteForceRules, ruleIsFor } from "./rules.ts";
export { shardOf } from "./shards.ts";
export * from "./source.ts";
