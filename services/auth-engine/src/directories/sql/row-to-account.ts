import { AppError } from "@postern/shared/errors";
import type { DirectoryAccount } from "../directory.ts";
import type { SqlSearchSettings } from "./settings.ts";
import type { SqlRow } from "./sql-client.ts";

const falseTexts = new Set(["", "0", "f", "false", "n", "no", "off"]);

/**
 * A column as text. Numbers as SQL writes them; undefined for NULL. A missing column or a BLOB is `DIRECTORY_DATA`:
 * the query does not fit its settings, which says nothing about the user.
 */
export function readColumn(row: SqlRow, column: string): string | undefined {
  const value = Object.hasOwn(row, column) ? row[column] : undefined;
  if (value === null) return undefined;
  if (value === undefined) throw new AppError("DIRECTORY_DATA", { detail: `the query gives no column ${column}` });
  if (value instanceof Uint8Array) throw new AppError("DIRECTORY_DATA", { detail: `column ${column} is a BLOB` });
  return String(value);
}

/** The account in a row, with the configured attributes only; what is NULL is absent. */
export function rowToAccount(row: SqlRow, search: SqlSearchSettings): DirectoryAccount {
  const { accountField, totpSecretField } = search;
  const account = readColumn(row, accountField);
  if (account === undefined || account === "") {
    throw new AppError("DIRECTORY_DATA", { detail: `column ${accountField} of the account is empty` });
  }
  const attributes = Object.fromEntries(
    search.attributes.flatMap((name) => {
      const value = readColumn(row, name);
      return value === undefined ? [] : [[name, [value]] as const];
    }),
  );
  return { account, accountField, totpSecretField, attributes };
}

/** The settings' `disabledColumn`: NULL, 0, empty and the usual words for "no" leave the account on. */
export function isDisabled(row: SqlRow, { disabledColumn }: SqlSearchSettings): boolean {
  if (disabledColumn === undefined) return false;
  const text = readColumn(row, disabledColumn);
  return text !== undefined && !falseTexts.has(text.trim().toLowerCase());
}
