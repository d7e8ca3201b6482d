export { type Ban, parseBan } from "./ban.ts";
export { createBanIndex } from "./ban-index.ts";
export { createBansByEnd, type ListBansByEnd } from "./bans-by-end.ts";
export type { FlushDeps, FlushedScopes, FlushRequest } from "./flush.ts";
export { networkOf } from "./network.ts";
export {
  type AccountPage,
  type BanPage,
  type BruteForceRecords,
  createBruteForceRecords,
  type DelayedAccount,
  type GuessedAccount,
} from "./records.ts";
export { type BruteForceRule, type BruteForceRules, bruteForceRules, ruleIsFor } from "./rules.ts";
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
