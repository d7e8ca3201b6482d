import { AppError } from "@postern/shared/platform/errors";
import { nameForms } from "@postern/shared/platform/net";
import type { BackendAccount, BackendContext, BackendQuery } from "../backend.ts";
import { toQueryParameters } from "./query-parameters.ts";
import type { SqlClient, SqlRow } from "./sql-client.ts";
import type { SqlSearchSettings } from "./sql-settings.ts";

/**
 * The row that the search's query finds; undefined for an unknown user. Several rows are an error, because it is
 * unclear which of them signs in.
 */
async function rowUnder(
  client: SqlClient,
  { userQuery }: SqlSearchSettings,
  query: BackendQuery,
  context: BackendContext,
): Promise<SqlRow | undefined> {
  const userRows = { statement: userQuery, parameters: toQueryParameters(query), maxRows: 2 };
  const rows = await client.query(userRows, context);
  if (rows.length > 1) throw new AppError("DIRECTORY_AMBIGUOUS", { detail: "the query returned more than one row" });
  return rows[0];
}

/**
 * The row of a user under any form of the name. The queries run side by side, so that the time does not reveal which of them
 * found a row; the row with A-labels takes precedence.
 */
export async function findUserRow(
  client: SqlClient,
  search: SqlSearchSettings,
  query: BackendQuery,
  context: BackendContext,
): Promise<SqlRow | undefined> {
  const [first, ...others] = nameForms(query.username);
  const under = (username: string) => rowUnder(client, search, { ...query, username }, context);
  if (others.length === 0) return under(first);
  const rows = await Promise.all([first, ...others].map((username) => under(username)));
  return rows.find((row) => row !== undefined);
}

const falseTexts = new Set(["", "0", "f", "false", "n", "no", "off"]);

/**
 * A column as text; numbers in SQL's spelling; undefined for NULL. A missing column or a BLOB is `DIRECTORY_DATA`: the
 * query does not match its settings, which says nothing about the user.
 */
export function readColumn(row: SqlRow, column: string): string | undefined {
  const value = Object.hasOwn(row, column) ? row[column] : undefined;
  if (value === null) return undefined;
  if (value === undefined) throw new AppError("DIRECTORY_DATA", { detail: `the query returns no column ${column}` });
  if (value instanceof Uint8Array) throw new AppError("DIRECTORY_DATA", { detail: `column ${column} is a BLOB` });
  return String(value);
}

/**
 * The identifier, with binary values in hexadecimal. Empty for NULL and if the query lacks the column: mail keeps
 * working, and only sign-ins that need a subject are refused.
 */
function uniqueUserId(row: SqlRow, column: string): string {
  const value = Object.hasOwn(row, column) ? row[column] : undefined;
  if (value === null || value === undefined) return "";
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value);
}

/** Undefined as well if the query lacks the column: an account without a name can still sign in. */
function displayName(row: SqlRow, column: string): string | undefined {
  const value = Object.hasOwn(row, column) ? row[column] : undefined;
  return value === undefined || value === null || value instanceof Uint8Array ? undefined : String(value);
}

/** The account in a row, with the configured attributes only; NULL attributes are omitted. */
export function rowToAccount(row: SqlRow, search: SqlSearchSettings): BackendAccount {
  const { accountField, totpSecretField, uniqueUserIdField: idColumn, displayNameField: nameColumn } = search;
  const account = readColumn(row, accountField);
  if (account === undefined || account === "") {
    throw new AppError("DIRECTORY_DATA", { detail: `column ${accountField} of the account is empty` });
  }
  const attributes: [name: string, values: string[]][] = [];
  for (const name of search.attributes) {
    const value = readColumn(row, name);
    if (value !== undefined) attributes.push([name, [value]]);
  }
  return {
    account,
    accountField,
    totpSecretField,
    attributes: Object.fromEntries(attributes),
    ...(idColumn === undefined ? {} : { uniqueUserId: uniqueUserId(row, idColumn) }),
    ...(nameColumn === undefined ? {} : { displayName: displayName(row, nameColumn) }),
  };
}

/** Reads the `disabledColumn`: NULL, 0, empty and the usual words for "no" mean that the account is enabled. */
export function isDisabled(row: SqlRow, { disabledColumn }: SqlSearchSettings): boolean {
  if (disabledColumn === undefined) return false;
  const text = readColumn(row, disabledColumn);
  return text !== undefined && !falseTexts.has(text.trim().toLowerCase());
}
