import type { AppPassword } from "@postern/shared/contracts";
import type { CallContext } from "../login/password-check.ts";

/** What an account has, without secrets. */
export interface FactorState {
  readonly account: string;
  readonly displayName: string | undefined;
  readonly hasTotp: boolean;
  readonly recoveryCodesLeft: number;
  /** As they are stored, byte for byte. */
  readonly webauthnCredentials: readonly string[];
  readonly appPasswords: number;
}

/** `refused`: the directory keeps nothing of the kind, or takes no more. */
export type Change = "done" | "refused";

/** The second factors and app passwords that the directories keep. Everything throws AppError when nobody could decide. */
export interface FactorStore {
  /** Undefined where the account's directory keeps none. */
  read(account: string, context: CallContext): Promise<FactorState | undefined>;
  setTotp(account: string, secret: string, context: CallContext): Promise<Change>;
  deleteTotp(account: string, context: CallContext): Promise<Change>;
  setRecoveryCodes(account: string, codes: readonly string[], context: CallContext): Promise<Change>;
  deleteRecoveryCodes(account: string, context: CallContext): Promise<Change>;
  /** `exists`: this credential is known. */
  addCredential(account: string, credential: string, context: CallContext): Promise<Change | "exists">;
  /** `conflict`: `old` is no longer stored. */
  replaceCredential(
    account: string,
    change: { readonly old: string; readonly next: string },
    context: CallContext,
  ): Promise<Change | "conflict">;
  deleteCredential(account: string, credential: string, context: CallContext): Promise<Change>;
  appPasswords(account: string, context: CallContext): Promise<readonly AppPassword[]>;
  /** `full`: the account has as many as it may. Undefined: refused. */
  createAppPassword(
    account: string,
    label: string,
    context: CallContext,
  ): Promise<{ readonly password: string; readonly label: string } | "full" | undefined>;
  revokeAppPassword(account: string, id: string, context: CallContext): Promise<Change>;
}
