import type { BackendContext, BackendQuery } from "../../services/auth-engine/src/backends/backend.ts";
import { findInSearch, isFound } from "../../services/auth-engine/src/backends/ldap/find-user.ts";
import { createLdapPool } from "../../services/auth-engine/src/backends/ldap/ldap-pool.ts";
import type { LdapBackendSettings } from "../../services/auth-engine/src/backends/ldap/ldap-settings.ts";
import { compileSearches } from "../../services/auth-engine/src/backends/ldap/select-search.ts";
import type { MakeDeps } from "./make-directory.ts";
import type { ReportStep } from "./steps.ts";

/** Reports each search of the protocol as it is sent, and the entry that it finds. */
export async function reportLdapSearches(
  settings: LdapBackendSettings,
  {
    query,
    context,
    report,
  }: { readonly query: BackendQuery; readonly context: BackendContext; readonly report: ReportStep },
  deps: Pick<MakeDeps, "clock" | "log">,
): Promise<void> {
  const pools = Object.entries(settings.pools).map(([name, pool]) => [name, createLdapPool(name, pool, deps)] as const);
  try {
    for (const search of compileSearches(settings.searches, new Map(pools)).get(query.protocol) ?? []) {
      const base = search.baseDn.expand(query);
      report(
        "search",
        "ok",
        `pool ${search.pool.name}, scope ${search.scope}, base ${base}, filter ${search.filter(query).toString()}`,
      );
      const found = await findInSearch(search, query, context, true);
      if (isFound(found)) return report("entry", "ok", found.entry.dn);
      report("entry", "note", "no entry");
    }
  } finally {
    await Promise.all(pools.map(([, pool]) => pool.close()));
  }
}
