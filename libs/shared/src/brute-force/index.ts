export { type Ban, parseBan } from "./ban.ts";
export { createBanIndex } from "./ban-index.ts";
export { createGuessedAccounts } from "./guessed-accounts.ts";
export { networkOf } from "./network.ts";
export { type BruteForceRule, type BruteForceRules, bruteForceRules, ruleIsFor } from "./rules.ts";
export {
  accountKeys,
  guessesKeyOf,
  type RulePlace,
  type Source,
  type SourceParts,
  sourceOf,
  tolerationKeysOf,
  userPart,
} from "./source.ts";
export {
  type AccountPage,
  type BanPage,
  type BruteForceState,
  type BruteForceStateDeps,
  createBruteForceState,
  type FlushRequest,
  type GuessedAccount,
} from "./state.ts";
