import { AppError } from "@postern/shared/errors";
import type { AccountPage, DirectoryContext, DirectoryQuery, ListOutcome } from "../directory.ts";
import type { SqlSearchSettings } from "./settings.ts";
import type { SqlClient, SqlRow } from "./sql-client.ts";

interface Listing {
  readonly client: SqlClient;
  readonly search: SqlSearchSettings;
  readonly query: DirectoryQuery;
  readonly page: AccountPage;
}

/**
 * One page of the site's own list query, by key: the names after the last one, in the order of their bytes. No state
 * stays behind, so any engine has the next page. A name that the query gives twice is listed once.
 *
 * Names that appear or vanish while pages are read are in the list or not; all others are, exactly once.
 */
export async function listAccounts(
  { client, search, query, page: { position, limit } }: Listing,
  context: DirectoryContext,
): Promise<ListOutcome> {
  const { listAccountsQuery: site } = search;
  if (site === undefined) return { kind: "not_served" };
  const column = await accountColumn(search, client, context);
  const statement = pageStatement(site, column, position !== undefined);
  const parameters = { protocol: query.protocol, [afterParameter]: position ?? "", [limitParameter]: String(limit) };
  const rows = await client.query({ statement, parameters, maxRows: limit }, context);
  const names = rows.map(readName);
  const last = names.at(-1);
  return {
    kind: "ok",
    accounts: names.filter((name, index) => name !== names[index - 1]),
    next: last !== undefined && names.length >= limit ? { text: last, isHeld: false } : undefined,
  };
}

/** Throws `DIRECTORY_DATA` or the database's error when the site's list query cannot serve. */
export async function checkListQuery(
  search: SqlSearchSettings,
  client: SqlClient,
  context: DirectoryContext,
): Promise<void> {
  if (search.listAccountsQuery === undefined) return;
  const column = await accountColumn(search, client, context);
  const parameters = { protocol: search.protocols[0] ?? "*", [limitParameter]: "1" };
  const statement = pageStatement(search.listAccountsQuery, column, false);
  const [row] = await client.query({ statement, parameters, maxRows: 1 }, context);
  if (row !== undefined) readName(row);
}

const afterParameter = "postern_after";
const limitParameter = "postern_limit";

/** The column that holds the account: the one called so, else the only one. */
async function accountColumn(
  { listAccountsQuery = "", accountField }: SqlSearchSettings,
  client: SqlClient,
  context: DirectoryContext,
): Promise<string> {
  const columns = await client.describe(listAccountsQuery, context);
  const [only] = columns;
  if (columns.includes(accountField)) return accountField;
  if (columns.length === 1 && only !== undefined) return only;
  throw new AppError("DIRECTORY_DATA", {
    detail: `the list query gives several columns and none called ${accountField}`,
  });
}

/**
 * Only the site's query and a column name that the database told us stand in the text. The binary order makes "after"
 * exact where the column's own collation takes two names for one; an index of that order answers each page at once.
 */
function pageStatement(site: string, column: string, isLater: boolean): string {
  const name = `"${column.replaceAll('"', '""')}"`;
  const after = isLater ? ` AND ${name} COLLATE BINARY > :${afterParameter}` : "";
  const body = site.replace(/[;\s]+$/, "");
  // A comment that ends the site's query ends with its line.
  const select = `SELECT ${name} AS account FROM (${body}\n) WHERE ${name} IS NOT NULL${after}`;
  return `${select} ORDER BY ${name} COLLATE BINARY LIMIT :${limitParameter}`;
}

/** A number or a BLOB compares with no text, and what is no UTF-8 comes back as another text: both would end the list. */
function readName({ account }: SqlRow): string {
  if (typeof account !== "string") {
    throw new AppError("DIRECTORY_DATA", { detail: "the list query must give text: CAST the account to TEXT" });
  }
  if (account.includes("\uFFFD")) throw new AppError("DIRECTORY_DATA", { detail: "an account name is not UTF-8" });
  return account;
}
