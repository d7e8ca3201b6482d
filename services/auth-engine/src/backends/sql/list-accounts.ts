import { AppError } from "@postern/shared/platform/errors";
import type { AccountPage, BackendContext, BackendQuery, ListOutcome } from "../backend.ts";
import { asTable, inBinaryOrder, quoteName, type SqlDialect } from "./placeholders.ts";
import type { SqlClient, SqlRow } from "./sql-client.ts";
import type { SqlSearchSettings } from "./sql-settings.ts";

/**
 * Reads one page of the site's list query by key: the names after the last one, in byte order. No state is kept, so any
 * engine can read the next page. A name that the query returns twice is listed once.
 *
 * Names that appear or vanish during the listing may be listed or not; every other name is listed exactly once.
 */
export async function listAccounts(
  client: SqlClient,
  search: SqlSearchSettings,
  { protocol, position, limit }: AccountPage & Pick<BackendQuery, "protocol">,
  context: BackendContext,
): Promise<ListOutcome> {
  const { listAccountsQuery: site } = search;
  if (site === undefined) return { kind: "not_served" };
  const column = await accountColumn(search, client, context);
  const statement = pageStatement(site, column, client.dialect, { isLater: position !== undefined, limit });
  const parameters = { protocol, [afterParameter]: position ?? "" };
  const rows = await client.query({ statement, parameters, maxRows: limit }, context);
  const names = rows.map(readName);
  const last = names.at(-1);
  return {
    kind: "ok",
    accounts: names.filter((name, index) => name !== names[index - 1]),
    next: last !== undefined && names.length >= limit ? { text: last, isOpenHere: false } : undefined,
  };
}

/** Throws `DIRECTORY_DATA` or the database's error if the site's list query is unsuitable. */
export async function checkListQuery(
  search: SqlSearchSettings,
  client: SqlClient,
  context: BackendContext,
): Promise<void> {
  if (search.listAccountsQuery === undefined) return;
  const column = await accountColumn(search, client, context);
  const parameters = { protocol: search.protocols[0] ?? "*" };
  const statement = pageStatement(search.listAccountsQuery, column, client.dialect, { isLater: false, limit: 1 });
  const [row] = await client.query({ statement, parameters, maxRows: 1 }, context);
  if (row !== undefined) readName(row);
}

const afterParameter = "postern_after";

/** The column with the account: the one with its name, or else the only one. */
async function accountColumn(
  { listAccountsQuery = "", accountField }: SqlSearchSettings,
  client: SqlClient,
  context: BackendContext,
): Promise<string> {
  const columns = await client.describe(listAccountsQuery, context);
  const [only] = columns;
  if (columns.includes(accountField)) return accountField;
  if (columns.length === 1 && only !== undefined) return only;
  throw new AppError("DIRECTORY_DATA", {
    detail: `the list query returns several columns, none of which is named ${accountField}`,
  });
}

/**
 * The text consists of the site's query, a number of ours and a column name that the database returned. Binary order
 * makes "after" exact even if the column's collation considers two names equal; an index in that order serves each page
 * directly.
 */
function pageStatement(
  site: string,
  column: string,
  dialect: SqlDialect,
  { isLater, limit }: { readonly isLater: boolean; readonly limit: number },
): string {
  const name = quoteName(column, dialect);
  const ordered = inBinaryOrder(name, dialect);
  const after = isLater ? ` AND ${ordered} > :${afterParameter}` : "";
  const select = `SELECT ${name} AS account FROM ${asTable(site)} WHERE ${name} IS NOT NULL${after}`;
  return `${select} ORDER BY ${ordered} LIMIT ${Math.trunc(limit)}`;
}

/**
 * Numbers and BLOBs cannot be compared with text, and invalid UTF-8 comes back changed: both would end the list early.
 */
function readName({ account }: SqlRow): string {
  if (typeof account !== "string") {
    throw new AppError("DIRECTORY_DATA", { detail: "the list query must return text: CAST the account name to TEXT" });
  }
  if (account.includes("\uFFFD")) throw new AppError("DIRECTORY_DATA", { detail: "an account name is not UTF-8" });
  return account;
}
