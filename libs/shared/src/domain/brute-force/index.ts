export { type Ban, createBanIndex, parseBan } from "./ban.ts";
export * from "./bans-by-end.ts";
export type { FlushDeps, FlushedScopes } from "./flush.ts";
export { networkOf } from "./network.ts";
export { createNetworkState, type NetworkState, type RuleState } from "./network-state.ts";
export * from "./records.ts";
export { type BruteForceRules, bruteForceRules, ruleIsFor } from "./rules.ts";
export { shardOf } from "./shards.ts";
export * from "./source.ts";
