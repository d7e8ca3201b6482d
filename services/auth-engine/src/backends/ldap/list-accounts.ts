import type { Clock } from "@postern/shared/platform/time";
import type { Filter, SearchResult } from "ldapts";
import type { AccountPage, BackendContext, BackendQuery, ListOutcome } from "../backend.ts";
import { backendUnavailable } from "../servers/errors.ts";
import { createOpenListings, type ListingPages } from "../servers/open-listings.ts";
import { accountName } from "./attributes.ts";
import type { LdapConnection } from "./client.ts";
import type { CompiledSearch } from "./select-search.ts";

/** Active Directory returns no more per page, whatever is requested. */
const maxPageSize = 1000;

/** The listing of an LDAP backend. */
export function createAccountListing(searches: ReadonlyMap<string, readonly CompiledSearch[]>, clock: Clock) {
  const listings = createOpenListings("LDAP", clock);
  return {
    listAccounts: async (
      query: BackendQuery,
      { position, limit }: AccountPage,
      context: BackendContext,
    ): Promise<ListOutcome> => {
      if (position !== undefined) return listings.readOn(position, context);
      const listed = (searches.get(query.protocol) ?? []).filter(({ listFilter }) => listFilter !== undefined);
      if (listed.length === 0) return { kind: "not_served" };
      return listings.begin(() => accountPages(listed, query, limit), context);
    },
    endListing: listings.end,
    close: listings.close,
  };
}

/**
 * The account names of several searches, one after the other, in the server's pages. Each search has its own
 * connection, because a server's position in a paged search belongs to the connection (RFC 2696 section 3). Entries
 * without the account attribute are skipped. A server's size limit is an error: the list would end early.
 */
function accountPages(searches: readonly CompiledSearch[], query: BackendQuery, limit: number): ListingPages {
  const connections = new Set<LdapConnection>();
  let isCancelled = false;

  async function* pagesOf(search: CompiledSearch, filter: Filter): AsyncGenerator<readonly string[], undefined> {
    const { pool, baseDn, scope, mapping } = search;
    const { accountField } = mapping;
    const pageSize = Math.min(limit, maxPageSize);
    const connection = await pool.open();
    connections.add(connection);
    try {
      if (isCancelled) return;
      const options = {
        scope,
        filter,
        attributes: accountField.toLowerCase() === "dn" ? ["1.1"] : [accountField],
        timeLimit: pool.settings.searchTimeLimitSeconds,
        paged: { pageSize },
      };
      let isFirst = true;
      for await (const page of connection.searchPages(baseDn.expand(query), options)) {
        checkPage(page, pageSize, isFirst);
        isFirst = false;
        yield page.searchEntries.flatMap((entry) => accountName(entry, accountField) ?? []);
      }
    } catch (error) {
      throw backendUnavailable(`listing in LDAP pool ${pool.name}`, error);
    } finally {
      connections.delete(connection);
      connection.close();
    }
  }

  async function* pages(): AsyncGenerator<readonly string[], undefined> {
    for (const search of searches) {
      const filter = search.listFilter?.(query);
      if (filter !== undefined) yield* pagesOf(search, filter);
    }
  }

  return {
    iterator: pages(),
    cancel: (): void => {
      isCancelled = true;
      for (const connection of connections) connection.close();
    },
  };
}

/** Detects an empty page that is not the last one, which ldapts does not report. */
function checkPage({ searchEntries, searchReferences }: SearchResult, pageSize: number, isFirst: boolean): void {
  if (searchEntries.length > pageSize) throw new Error("the LDAP server does not support paged results (RFC 2696)");
  if (!isFirst && searchEntries.length + searchReferences.length === 0) {
    throw new Error("the LDAP server returned an empty page before the end of the list");
  }
}
