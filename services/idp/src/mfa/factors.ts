import type { EngineCall } from "../login/engine-call.ts";
import type { EnrolledFactors } from "../login/needed-factors.ts";

/** The second factors in the backends. Every method throws AppError on a temporary failure. */
export interface Factors {
  /** Finds an account by the typed name, and takes as long for an unknown one; undefined if no backend has it, or its backend does not store factors. */
  find(username: string, context: EngineCall): Promise<(EnrolledFactors & { readonly account: string }) | undefined>;
  enrolled(account: string, context: EngineCall): Promise<EnrolledFactors>;
  /** Base32 or an otpauth URL; undefined if there is none. */
  totpSecret(account: string, context: EngineCall): Promise<string | undefined>;
  /** Uses up a recovery code. @returns whether the code was valid */
  redeemRecoveryCode(account: string, code: string, context: EngineCall): Promise<boolean>;
}
