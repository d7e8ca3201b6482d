import { randomUUID } from "node:crypto";
import { untilOver } from "@postern/shared/platform/concurrency";
import { AppError } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";
import type { Filter, SearchResult } from "ldapts";
import type { AccountPage, BackendContext, BackendQuery, ListOutcome } from "../backend.ts";
import { backendUnavailable } from "../servers/errors.ts";
import { accountName } from "./attributes.ts";
import type { LdapConnection } from "./client.ts";
import type { CompiledSearch } from "./select-search.ts";

/** Each listing keeps a connection to an LDAP server. */
const maxOpen = 8;
/** The gateway waits less for a slow reader. */
const idleMs = 45_000;

interface OpenListing {
  readonly pages: ReturnType<typeof accountPages>;
  /** Ends a listing that was abandoned; undefined while a page is being read. */
  timer: NodeJS.Timeout | undefined;
}

/** Active Directory returns no more per page, whatever is requested. */
const maxPageSize = 1000;

/**
 * The listing of an LDAP backend: it stays open between two pages, in this process only. It has one reader, who requests one page after the
 * other; a page that fails ends it.
 */
export function createAccountListing(searches: ReadonlyMap<string, readonly CompiledSearch[]>, clock: Clock) {
  const listings = new Map<string, OpenListing>();

  const forget = (position: string): OpenListing | undefined => {
    const listing = listings.get(position);
    clearTimeout(listing?.timer);
    listings.delete(position);
    return listing;
  };
  // This also ends a page that is being read, which is no longer needed.
  const end = (position: string): void => forget(position)?.pages.cancel();

  const advance = async (position: string, listing: OpenListing, context: BackendContext): Promise<ListOutcome> => {
    clearTimeout(listing.timer);
    listing.timer = undefined;
    try {
      const wait = { context, clock, waitingFor: "a page of an LDAP listing" };
      const { done, value } = await untilOver(listing.pages.iterator.next(), wait);
      if (done === true) {
        forget(position);
        return { kind: "ok", accounts: [] };
      }
      listing.timer = setTimeout(end, idleMs, position).unref();
      return { kind: "ok", accounts: value, next: { text: position, isOpenHere: true } };
    } catch (error) {
      end(position);
      throw error;
    }
  };

  const readOn = (position: string, context: BackendContext): Promise<ListOutcome> => {
    const listing = listings.get(position);
    if (listing?.timer !== undefined) return advance(position, listing, context);
    throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "the listing has expired or is open in another engine" });
  };

  return {
    listAccounts: async (
      query: BackendQuery,
      { position, limit }: AccountPage,
      context: BackendContext,
    ): Promise<ListOutcome> => {
      if (position !== undefined) return readOn(position, context);
      const listed = (searches.get(query.protocol) ?? []).filter(({ listFilter }) => listFilter !== undefined);
      if (listed.length === 0) return { kind: "not_served" };
      if (listings.size >= maxOpen) {
        throw new AppError("DIRECTORY_OVERLOADED", { detail: `${maxOpen} LDAP listings are open` });
      }
      const first = randomUUID();
      const listing = { pages: accountPages(listed, query, limit), timer: undefined };
      listings.set(first, listing);
      return advance(first, listing, context);
    },
    endListing: end,
    close: (): void => {
      for (const position of listings.keys()) end(position);
    },
  };
}

/**
 * The account names of several searches, one after the other, in the server's pages. Each search has its own
 * connection, because a server's position in a paged search belongs to the connection (RFC 2696 section 3). Entries
 * without the account attribute are skipped. A server's size limit is an error: the list would end early.
 */
function accountPages(searches: readonly CompiledSearch[], query: BackendQuery, limit: number) {
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
    /** Ends immediately, without waiting for searches in progress, and closes its connections. */
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
