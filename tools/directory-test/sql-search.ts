import type { DirectoryQuery } from "../../services/auth-engine/src/directories/directory.ts";
import { toQueryParameters } from "../../services/auth-engine/src/directories/sql/query-parameters.ts";
import { selectSearch } from "../../services/auth-engine/src/directories/sql/select-search.ts";
import type { SqlDirectorySettings } from "../../services/auth-engine/src/directories/sql/settings.ts";
import type { Tell } from "./steps.ts";

/** Tells the site's query for the protocol and the values that are bound to it. */
export function tellSqlQuery({ searches }: SqlDirectorySettings, query: DirectoryQuery, tell: Tell): void {
  const search = selectSearch(searches, query.protocol);
  if (search === undefined) return;
  const used = Object.entries(toQueryParameters(query)).filter(([name]) => search.userQuery.includes(`:${name}`));
  const values = used.map(([name, value]) => `:${name} = ${JSON.stringify(value)}`).join(", ");
  tell("query", "ok", `${search.userQuery.replaceAll(/\s+/g, " ").trim()} with ${values || "no values"}`);
}
