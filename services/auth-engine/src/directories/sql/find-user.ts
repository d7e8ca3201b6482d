import { AppError } from "@postern/shared/errors";
import type { DirectoryContext, DirectoryQuery } from "../directory.ts";
import { toQueryParameters } from "./query-parameters.ts";
import type { SqlSearchSettings } from "./settings.ts";
import type { SqlClient, SqlRow } from "./sql-client.ts";

/** The row of the search's own query; undefined for nobody. Several are an error: which of them would sign in? */
export async function findUserRow(
  client: SqlClient,
  { userQuery }: SqlSearchSettings,
  query: DirectoryQuery,
  context: DirectoryContext,
): Promise<SqlRow | undefined> {
  const rows = await client.query({ statement: userQuery, parameters: toQueryParameters(query), maxRows: 2 }, context);
  if (rows.length > 1) throw new AppError("DIRECTORY_AMBIGUOUS", { detail: "the query gives several rows" });
  return rows[0];
}
