import type { BackendQuery } from "../../services/auth-engine/src/backends/backend.ts";
import { toQueryParameters } from "../../services/auth-engine/src/backends/sql/query-parameters.ts";
import { type SqlBackendSettings, selectSearch } from "../../services/auth-engine/src/backends/sql/sql-settings.ts";
import type { ReportStep } from "./steps.ts";

/** Reports the site's query for the protocol and the values of its parameters. */
export function reportSqlQuery({ searches }: SqlBackendSettings, query: BackendQuery, report: ReportStep): void {
  const search = selectSearch(searches, query.protocol);
  if (search === undefined) return;
  const used = Object.entries(toQueryParameters(query)).filter(([name]) => search.userQuery.includes(`:${name}`));
  const values = used.map(([name, value]) => `:${name} = ${JSON.stringify(value)}`).join(", ");
  report("query", "ok", `${search.userQuery.replaceAll(/\s+/g, " ").trim()} with ${values || "no values"}`);
}
