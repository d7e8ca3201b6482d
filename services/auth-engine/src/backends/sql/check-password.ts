import {
  type Decoys,
  type PasswordVerifier,
  readStoredPassword,
  type StoredPassword,
  type UnverifiableReason,
} from "@postern/shared/domain/passwords";
import type { Secret } from "@postern/shared/platform/crypto";
import type { BackendContext, VerifyOutcome } from "../backend.ts";
import { readColumn } from "./find-user.ts";
import type { SqlRow } from "./sql-client.ts";
import type { SqlSearchSettings } from "./sql-settings.ts";

/** A user's row and the search that found it. */
export interface FoundRow {
  readonly row: SqlRow;
  readonly search: SqlSearchSettings;
}

/** Result of a password check: the outcome of a denial, or the stored password that matches, `text` as the database returned it. */
export type CheckedPassword =
  | { readonly isRight: true; readonly stored: StoredPassword; readonly text: string }
  | { readonly isRight: false; readonly denial: VerifyOutcome };

export interface CheckPasswordDeps {
  readonly passwords: Pick<PasswordVerifier, "verify" | "spend">;
  /** What is verified for unknown names, and for accounts whose stored password cannot be verified. */
  readonly decoys: Decoys;
  /** Called if a sign-in was denied because the account's stored password can never be verified. */
  readonly onUnverifiable?: ((reason: UnverifiableReason, account: string | undefined) => void) | undefined;
}

/**
 * An ordinary denial for a permanent fault: no password can match such an account, and the caller must not learn that
 * it exists. The reason is for the log.
 */
function unverifiable(reason: UnverifiableReason, account: string | undefined): CheckedPassword {
  const denial: VerifyOutcome =
    reason === "locked"
      ? { kind: "account_disabled", account, detail: "password_locked" }
      : { kind: "password_unverifiable", account, detail: `password_${reason}` };
  return { isRight: false, denial };
}

/** Compares a password with the row's. Throws what `PasswordVerifier.verify` throws. */
export function createPasswordCheck({ passwords, decoys, onUnverifiable = () => undefined }: CheckPasswordDeps) {
  return async (
    { row, search }: FoundRow,
    username: string,
    password: Secret,
    context: BackendContext,
  ): Promise<CheckedPassword> => {
    const account = readColumn(row, search.accountField);
    const text = readColumn(row, search.passwordColumn) ?? "";
    const stored = readStoredPassword(text);
    if (typeof stored === "string") {
      await passwords.spend(decoys.choose(username), password, context);
      onUnverifiable(stored, account);
      return unverifiable(stored, account);
    }
    decoys.learn(account ?? username, stored);
    const isRight = await passwords.verify(stored, password, context);
    return isRight ? { isRight, stored, text } : { isRight, denial: { kind: "wrong_password", account } };
  };
}
