export {
  type AccountFacts,
  decodeAccountFacts,
  encodeAccountFacts,
  type Hold,
  safeName,
} from "./account-facts.ts";
export {
  type AssessedSignIn,
  type Assessment,
  assess,
  holdOf,
  isCausedFromOutside,
  levelOf,
  type RiskVerdict,
  verdictOf,
} from "./assess.ts";
export { createRiskNames, type RiskNames } from "./identify.ts";
export { confirmSignIn, noteSignIn, noteWrongPassword, type SignIn } from "./note.ts";
export { type Location, type Place, unknownPlace } from "./place.ts";
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
  noteAccountOfSource,
  type SourceFacts,
} from "./source-facts.ts";
