export { type Ban, createBanIndex, parseBan } from "./ban.ts";
export { createBansByEnd, type ListBansByEnd } from "./bans-by-end.ts";
export type { FlushDeps, FlushedScopes } from "./flush.ts";
export { networkOf } from "./network.ts";
export { type BanPage, type BruteForceRecords, createBruteForceRecords, type DelayedAccount } from "./records.ts";
export { type BruteForceRules, bruteForceRules, ruleIsFor } from "./rules.ts";
export { shardOf } from "./shards.ts";
export {
  type AccountKeys,
  type AccountWideKeys,
  accountKeys,
  accountWideKeys,
  foldedName,
  knownNetworkOf,
  type RuleScope,
  type Source,
  type SourceParts,
  sourceOf,
  tolerationKeysOf,
  userPart,
  windowEndMs,
} from "./source.ts";
