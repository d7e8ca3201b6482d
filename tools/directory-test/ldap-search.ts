import type { DirectoryContext, DirectoryQuery } from "../../services/auth-engine/src/directories/directory.ts";
import { findInSearch } from "../../services/auth-engine/src/directories/ldap/find-user.ts";
import { createLdapPool } from "../../services/auth-engine/src/directories/ldap/ldap-pool.ts";
import { compileSearches } from "../../services/auth-engine/src/directories/ldap/select-search.ts";
import type { LdapDirectorySettings } from "../../services/auth-engine/src/directories/ldap/settings.ts";
import type { MakeDeps } from "./make-directory.ts";
import type { Tell } from "./steps.ts";

/** Tells each search of the protocol as it goes over the wire, and the entry that it finds. */
export async function tellLdapSearches(
  settings: LdapDirectorySettings,
  { query, context, tell }: { readonly query: DirectoryQuery; readonly context: DirectoryContext; readonly tell: Tell },
  deps: Pick<MakeDeps, "clock" | "log">,
): Promise<void> {
  const made = Object.entries(settings.pools).map(([name, pool]) => [name, createLdapPool(name, pool, deps)] as const);
  try {
    for (const search of compileSearches(settings.searches, new Map(made)).get(query.protocol) ?? []) {
      const base = search.baseDn.expand(query);
      tell(
        "search",
        "ok",
        `pool ${search.pool.name}, scope ${search.scope}, base ${base}, filter ${search.filter(query).toString()}`,
      );
      const found = await findInSearch(search, query, context, true);
      tell("entry", found === undefined ? "note" : "ok", found === undefined ? "no entry" : found.entry.dn);
      if (found !== undefined) return;
    }
  } finally {
    await Promise.all(made.map(([, pool]) => pool.close()));
  }
}
