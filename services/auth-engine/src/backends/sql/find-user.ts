import { AppError } from "@postern/shared/platform/errors";
import { nameForms } from "@postern/shared/platform/net";
import type { BackendContext, BackendQuery } from "../backend.ts";
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
