import { AppError } from "@postern/shared/platform/errors";
import type { CallContext } from "../../pipeline/attempt.ts";
import { factorKinds, type MfaAccount, type StoredAppPassword } from "../second-factor-store.ts";
import { type MfaStatementName, mfaTableStatements } from "./factor-statements.ts";
import { readColumn } from "./find-user.ts";
import type { SqlClient, SqlRow, SqlStatement } from "./sql-client.ts";
import type { SqlMfaSettings } from "./sql-settings.ts";

/** No account has as many; further rows are not read and have no effect. */
const maxRows = 128;

function firstColumn(row: SqlRow): string | undefined {
  const [column] = Object.keys(row);
  const value = column === undefined ? undefined : readColumn(row, column);
  return value === "" ? undefined : value;
}

function seconds(row: SqlRow, column: string): number | undefined {
  const text = readColumn(row, column);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new AppError("DIRECTORY_DATA", { detail: `column ${column} of an app password must be a number of seconds` });
}

function toAppPassword(row: SqlRow): StoredAppPassword {
  const text = (column: string): string => readColumn(row, column) ?? "";
  return {
    id: text("id"),
    digest: text("digest"),
    label: text("label"),
    protocols: text("protocols")
      .split(" ")
      .filter((protocol) => protocol !== ""),
    createdAt: seconds(row, "created_at") ?? 0,
    lastUsedAt: seconds(row, "last_used_at"),
  };
}

/**
 * The rows of one account. The database makes redeeming and compare-and-set atomic: it counts the rows that it changed.
 *
 * @param mfa absent if nothing is stored here
 * @param names with the canonical name, the key of all rows
 */
export function createFactorRows(
  client: SqlClient,
  mfa: SqlMfaSettings | undefined,
  names: Pick<MfaAccount, "account" | "displayName" | "uniqueUserId">,
): MfaAccount {
  const { account } = names;
  const statements = { ...mfaTableStatements(mfa?.tablePrefix ?? ""), ...mfa?.statements };
  const of = (name: MfaStatementName, parameters: SqlStatement["parameters"] = {}): SqlStatement => ({
    statement: statements[name],
    parameters: { ...parameters, account },
  });
  const read = async (name: MfaStatementName, context: CallContext): Promise<readonly SqlRow[]> =>
    client.query({ ...of(name), maxRows }, context);
  const texts = async (name: MfaStatementName, context: CallContext): Promise<readonly string[]> =>
    (await read(name, context)).flatMap((row) => firstColumn(row) ?? []);
  const changed = async (statement: SqlStatement, context: CallContext): Promise<boolean> =>
    ((await client.execute([statement], context))[0] ?? 0) > 0;
  const write = async (written: readonly SqlStatement[], context: CallContext): Promise<void> =>
    void (await client.execute(written, context));

  return {
    ...names,
    supports: new Set(mfa === undefined ? [] : factorKinds),
    async readFactors(context) {
      if (mfa === undefined) return { totpSecret: undefined, recoveryCodes: [], webauthnCredentials: [] };
      const [totp, recoveryCodes, webauthnCredentials] = await Promise.all([
        texts("totp_read", context),
        texts("recovery_read", context),
        texts("webauthn_read", context),
      ]);
      return { totpSecret: totp[0], recoveryCodes, webauthnCredentials };
    },
    replaceTotpSecret: (secret, context) =>
      write([of("totp_delete"), ...(secret === undefined ? [] : [of("totp_write", { secret })])], context),
    replaceRecoveryCodes: (codes, context) =>
      write([of("recovery_clear"), ...codes.map((code) => of("recovery_add", { code }))], context),
    removeRecoveryCode: (code, context) => changed(of("recovery_remove", { code }), context),
    addWebauthnCredential: (credential, context) => write([of("webauthn_add", { credential })], context),
    replaceWebauthnCredential: (old, credential, context) =>
      changed(of("webauthn_replace", { old, credential }), context),
    removeWebauthnCredential: (credential, context) => changed(of("webauthn_remove", { credential }), context),
    listAppPasswords: async (context) => (await read("app_password_read", context)).map(toAppPassword),
    addAppPassword({ id, digest, label, protocols, createdAt }, context) {
      const parameters = { id, digest, label, protocols: protocols.join(" "), created_at: createdAt };
      return write([of("app_password_add", parameters)], context);
    },
    removeAppPassword: (id, context) => changed(of("app_password_remove", { id }), context),
    touchAppPassword: (id, at, context) => write([of("app_password_touch", { id, at })], context),
  };
}
