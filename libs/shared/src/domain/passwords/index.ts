export { createDecoys, type DecoySample, type Decoys } from "./decoys.ts";
export { parseStoredPassword, readStoredPassword } from "./parse-stored-password.ts";
export type { StoredPassword } from "./schemes.ts";
export {
  createUnverifiableReports,
  type DataFault,
  type UnverifiableReason,
  unverifiableText,
} from "./unverifiable.ts";
export { createPasswordVerifier, type PasswordVerifier } from "./verifier.ts";
export { createWeightedChoice } from "./weighted-choice.ts";
export { createWorkGate, type WorkContext, type WorkGate } from "./work-gate.ts";
