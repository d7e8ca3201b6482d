export { type AccountFacts, decodeAccountFacts, encodeAccountFacts, safeName } from "./account-facts.ts";
export * from "./assess.ts";
export { guessingNetworks } from "./detectors.ts";
export * from "./hold-scope.ts";
export { type AssessedSignIn, isKnownNetwork, noteSignIn, noteWrongPassword } from "./note.ts";
export { type Location, type Place, unknownPlace } from "./place.ts";
export { addReview, decodeReviews, encodeReviews, type ReviewedSignIn } from "./review.ts";
export * from "./reviews-redis.ts";
export * from "./risk-settings.ts";
export * from "./shared-facts.ts";
export { type RiskLevel, type RiskSignal, riskLevels, riskSignals } from "./signals.ts";
export {
  decodeSourceFacts,
  encodeSourceFacts,
  type Meeting,
  noteAccountOfSource,
  type SourceFacts,
} from "./source-facts.ts";
export * from "./verdict.ts";
