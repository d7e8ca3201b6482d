export {
  createPasswordVerifier,
  type PasswordVerifier,
  type PasswordVerifierOptions,
} from "./verifier.ts";
export type { WorkContext, WorkGateLoad } from "./work-gate.ts";
