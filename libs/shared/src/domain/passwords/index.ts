export { createDecoys, type DecoySample, type Decoys } from "./decoys.ts";
export { parseStoredPassword, readStoredPassword } from "./parse-stored-password.ts";
export type { StoredPassword } from "./stored-password.ts";
export { type DataFault, dataFaults, type UnverifiableReason } from "./unverifiable.ts";
export { createUnverifiableReports, unverifiableText } from "./unverifiable-reports.ts";
export { usualPassword } from "./usual-password.ts";
export {
  createPasswordVerifier,
  type PasswordVerifier,
  type PasswordVerifierOptions,
} from "./verifier.ts";
export { createWeightedChoice, type WeightedChoice } from "./weighted-choice.ts";
export { createWorkGate, type WorkContext, type WorkGate, type WorkGateLoad } from "./work-gate.ts";
