import { type Awaitable, after } from "@postern/shared/async";
import { AppError } from "@postern/shared/errors";
import type { DirectoryContext, DirectoryQuery } from "../directory.ts";
import { toQueryParameters } from "./query-parameters.ts";
import type { SqlSearchSettings } from "./settings.ts";
import type { SqlClient, SqlRow } from "./sql-client.ts";

/** The row of the search's own query; undefined for nobody. Several are an error: which of them would sign in? */
export function findUserRow(
  client: SqlClient,
  { userQuery }: SqlSearchSettings,
  query: DirectoryQuery,
  context: DirectoryContext,
): Awaitable<SqlRow | undefined> {
  const userRows = { statement: userQuery, parameters: toQueryParameters(query), maxRows: 2 };
  return after(client.query(userRows, context), (rows) => {
    if (rows.length > 1) throw new AppError("DIRECTORY_AMBIGUOUS", { detail: "the query gives several rows" });
    return rows[0];
  });
}
