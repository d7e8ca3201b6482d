export { createDecoys, type DecoySample, type Decoys } from "./decoys.ts";
export { parseStoredPassword, readStoredPassword, usualPassword } from "./parse-stored-password.ts";
export type { StoredPassword } from "./schemes.ts";
export {
  createUnverifiableReports,
  type DataFault,
  dataFaults,
  type UnverifiableReason,
  unverifiableText,
} from "./unverifiable.ts";
export {
  createPasswordVerifier,
  type PasswordVerifier,
  type PasswordVerifierOptions,
} from "./verifier.ts";
export { createWeightedChoice, type WeightedChoice } from "./weighted-choice.ts";
export { createWorkGate, type WorkContext, type WorkGate, type WorkGateLoad } from "./work-gate.ts";
