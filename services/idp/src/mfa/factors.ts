import type { CallContext } from "../login/password-check.ts";

/** What of an account's second factors a sign-in asks for. */
export interface EnrolledFactors {
  readonly hasTotp: boolean;
  readonly recoveryCodesLeft: number;
  readonly webauthnCredentials: number;
}

/** The second factors that the directories keep. Everything throws AppError when nobody could decide. */
export interface Factors {
  /** By the name that was typed; undefined where no directory knows it, or its directory keeps no factors. */
  find(username: string, context: CallContext): Promise<(EnrolledFactors & { readonly account: string }) | undefined>;
  enrolled(account: string, context: CallContext): Promise<EnrolledFactors>;
  /** Base32, or an otpauth URL; undefined when there is none. */
  totpSecret(account: string, context: CallContext): Promise<string | undefined>;
  /** Uses a recovery code up. @returns whether it was one */
  redeemRecoveryCode(account: string, code: string, context: CallContext): Promise<boolean>;
}
