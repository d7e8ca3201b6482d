import type { AppPassword } from "@postern/shared/contracts";
import type { EngineCall } from "../login/engine-call.ts";

/** The factors of an account, without secrets. */
export interface FactorState {
  readonly account: string;
  readonly displayName: string | undefined;
  readonly hasTotp: boolean;
  readonly recoveryCodesLeft: number;
  /** The stored texts, unchanged. */
  readonly webauthnCredentials: readonly string[];
  readonly appPasswords: number;
}

/** `refused`: the backend does not store this kind of factor, or accepts no more. */
export type Change = "done" | "refused";

/** The second factors and app passwords in the backends. Every method throws AppError on a temporary failure. */
export interface FactorStore {
  /** Undefined if the account's backend does not store factors. */
  read(account: string, context: EngineCall): Promise<FactorState | undefined>;
  /**
   * The account that holds a passkey, whatever its name; undefined if none does.
   *
   * @param name the name under which it is searched for first
   */
  holderOf(credentialId: string, name: string, context: EngineCall): Promise<string | undefined>;
  setTotp(account: string, secret: string, context: EngineCall): Promise<Change>;
  deleteTotp(account: string, context: EngineCall): Promise<Change>;
  setRecoveryCodes(account: string, codes: readonly string[], context: EngineCall): Promise<Change>;
  deleteRecoveryCodes(account: string, context: EngineCall): Promise<Change>;
  /** `exists`: the credential is already stored. */
  addCredential(account: string, credential: string, context: EngineCall): Promise<Change | "exists">;
  /** `conflict`: `old` is no longer stored. */
  replaceCredential(
    account: string,
    change: { readonly old: string; readonly next: string },
    context: EngineCall,
  ): Promise<Change | "conflict">;
  deleteCredential(account: string, credential: string, context: EngineCall): Promise<Change>;
  appPasswords(account: string, context: EngineCall): Promise<readonly AppPassword[]>;
  /** `full`: the account has reached its maximum. Undefined: refused. */
  createAppPassword(
    account: string,
    label: string,
    context: EngineCall,
  ): Promise<{ readonly password: string; readonly label: string } | "full" | undefined>;
  revokeAppPassword(account: string, id: string, context: EngineCall): Promise<Change>;
}
