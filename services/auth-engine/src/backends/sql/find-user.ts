import { AppError } from "@postern/shared/platform/errors";
import type { BackendContext, BackendQuery } from "../backend.ts";
import { toQueryParameters } from "./query-parameters.ts";
import type { SqlSearchSettings } from "./settings.ts";
import type { SqlClient, SqlRow } from "./sql-client.ts";

/**
 * The row that the search's query finds; undefined for an unknown user. Several rows are an error, because it is
 * unclear which of them signs in.
 */
export async function findUserRow(
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
