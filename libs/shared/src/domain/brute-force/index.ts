export { type Ban, parseBan } from "./ban.ts";
export { createBanIndex } from "./ban-index.ts";
export type { FlushDeps, FlushedPlaces, FlushRequest } from "./flush.ts";
export { networkOf } from "./network.ts";
export { type BruteForceRule, type BruteForceRules, bruteForceRules, ruleIsFor } from "./rules.ts";
export { shardOf } from "./shards.ts";
export {
  type AccountKeys,
  type AccountWideKeys,
  accountKeys,
  accountWideKeys,
  foldedName,
  knownNetworkOf,
  type RulePlace,
  type Source,
  type SourceParts,
  sourceOf,
  tolerationKeysOf,
  userPart,
  windowEndMs,
} from "./source.ts";
export {
  type AccountPage,
  type BanPage,
  type BruteForceState,
  createBruteForceState,
  type GuessedAccount,
  type SlowedAccount,
} from "./state.ts";
