export {
  type AccountFacts,
  decodeAccountFacts,
  encodeAccountFacts,
  type Hold,
  safeName,
} from "./account-facts.ts";
export { type Assessment, assess, levelsOf } from "./assess.ts";
export { guessingNetworks } from "./detectors.ts";
export { coversCredential, type ObtainedCredential } from "./hold-scope.ts";
export {
  type AssessedSignIn,
  confirmSignIn,
  isKnownNetwork,
  noteSignIn,
  noteWrongPassword,
  type SignIn,
} from "./note.ts";
export { type Location, type Place, unknownPlace } from "./place.ts";
export { beforeRecords, earliestUnanswered, isOlderThanDoubt } from "./proof.ts";
export {
  addReview,
  decodeReviews,
  encodeReviews,
  type ReviewedSignIn,
} from "./review.ts";
export {
  createRiskNames,
  createRiskReviews,
  createRiskStore,
  type Replacement,
  type RiskNames,
  type RiskReviews,
  type RiskStore,
} from "./reviews-redis.ts";
export {
  type RiskMode,
  type RiskResponse,
  type RiskSettings,
  riskModes,
  riskResponses,
  riskSettings,
} from "./risk-settings.ts";
export { type RaisedSignal, type RiskLevel, type RiskSignal, riskLevels, riskSignals } from "./signals.ts";
export {
  decodeSourceFacts,
  encodeSourceFacts,
  type Meeting,
  noteAccountOfSource,
  type SourceFacts,
} from "./source-facts.ts";
export { heldBy, holdOf, isDoubted, type RiskVerdict, verdictOf } from "./verdict.ts";
