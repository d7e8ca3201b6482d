export {
  createPasswordVerifier,
  type PasswordVerifier,
  type PasswordVerifierOptions,
} from "./verifier.ts";
export { createWorkGate, type WorkContext, type WorkGate, type WorkGateLoad } from "./work-gate.ts";
