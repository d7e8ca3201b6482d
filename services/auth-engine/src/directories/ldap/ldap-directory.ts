import { randomUUID } from "node:crypto";
import type { Secret } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";
import type { Clock } from "@postern/shared/time";
import type { Entry } from "ldapts";
import type { Directory, DirectoryContext, DirectoryQuery, VerifyOutcome } from "../directory.ts";
import { directoryUnavailable } from "../servers/errors.ts";
import type { ServerLog } from "../servers/target-set.ts";
import { toDirectoryAccount } from "./attributes.ts";
import { bindRefusal, classifyFailure, isNoSuchObject } from "./errors.ts";
import { createLdapPool, type LdapPool, type LdapPoolSnapshot } from "./ldap-pool.ts";
import { createAccountListing } from "./list-accounts.ts";
import { type CompiledSearch, compileSearches } from "./select-search.ts";
import type { LdapDirectorySettings } from "./settings.ts";

export interface LdapDirectory extends Directory {
  /** State of each pool, for metrics. */
  snapshot(): Readonly<Record<string, LdapPoolSnapshot>>;
}

interface Found {
  readonly search: CompiledSearch;
  readonly entry: Entry;
}

/** Enough to tell one entry from several. */
const sizeLimit = 2;

/**
 * Verifies by search and bind. Connects when first asked, so it starts while its servers are away. Throws
 * `CONFIG_INVALID` for settings that can never work.
 */
export function createLdapDirectory(
  settings: LdapDirectorySettings,
  deps: { readonly clock: Clock; readonly log: ServerLog },
): LdapDirectory {
  const pools = new Map(
    Object.entries(settings.pools).map(([name, pool]) => [name, createLdapPool(name, pool, deps)] as const),
  );
  const searches = compileSearches(settings.searches, pools);
  const listing = createAccountListing(searches, deps.clock);
  const absentRdn = `cn=${randomUUID()}`;

  const find = async (query: DirectoryQuery, context: DirectoryContext): Promise<Found | "none" | "not_served"> => {
    const candidates = searches.get(query.protocol);
    if (candidates === undefined) return "not_served";
    for (const search of candidates) {
      const entry = await findEntry(search, query, context);
      if (entry !== undefined) return { search, entry };
    }
    return "none";
  };

  return {
    kind: "ldap",
    name: settings.name,
    verify: async (query, password, context) => {
      const found = await find(query, context);
      if (found === "not_served") return { kind: "not_served" };
      if (found === "none") return { kind: "unknown_user" };
      return bindAsUser(found, password, context);
    },
    lookup: async (query, context) => {
      const found = await find(query, context);
      if (found === "not_served") return { kind: "not_served" };
      if (found === "none") return { kind: "unknown_user" };
      return { kind: "ok", account: toDirectoryAccount(found.entry, found.search.mapping) };
    },
    listAccounts: listing.listAccounts,
    endListing: listing.endListing,
    spendVerification: async (query, password, context) => {
      const [search] = searches.get(query.protocol) ?? [];
      if (search === undefined || password.isEmpty) return;
      const baseDn = search.baseDn.expand(query);
      try {
        await search.pool.bind.bind(baseDn === "" ? absentRdn : `${absentRdn},${baseDn}`, password, context);
      } catch (error) {
        if (error instanceof AppError || classifyFailure(error) !== "answer") throw error;
      }
    },
    check: async (context) => {
      await Promise.all([...pools.values()].map((pool) => checkPool(pool, context)));
    },
    snapshot: () => Object.fromEntries([...pools].map(([name, pool]) => [name, pool.snapshot()])),
    close: async () => {
      listing.close();
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}

async function checkPool(pool: LdapPool, context: DirectoryContext): Promise<void> {
  try {
    await pool.lookup.check(context);
  } catch (error) {
    throw directoryUnavailable(`check of LDAP pool ${pool.name}`, error);
  }
}

async function findEntry(
  search: CompiledSearch,
  query: DirectoryQuery,
  context: DirectoryContext,
): Promise<Entry | undefined> {
  const { pool, baseDn, scope } = search;
  const options = {
    scope,
    filter: search.filter(query),
    attributes: search.requested,
    sizeLimit,
    timeLimit: pool.settings.searchTimeLimitSeconds,
  };
  try {
    const { searchEntries } = await pool.lookup.search(baseDn.expand(query), options, context);
    if (searchEntries.length > 1) {
      throw new AppError("DIRECTORY_AMBIGUOUS", { detail: `more than one entry in LDAP pool ${pool.name}` });
    }
    return searchEntries[0];
  } catch (error) {
    // A base made of the user's domain that does not exist is a user that does not exist; a fixed one is a mistake.
    if (baseDn.hasMacros && isNoSuchObject(error)) return undefined;
    throw directoryUnavailable(`search in LDAP pool ${pool.name}`, error);
  }
}

async function bindAsUser(
  { search, entry }: Found,
  password: Secret,
  context: DirectoryContext,
): Promise<VerifyOutcome> {
  const { pool, mapping } = search;
  try {
    await pool.bind.bind(entry.dn, password, context);
  } catch (error) {
    const refusal = bindRefusal(error);
    if (refusal !== undefined) return { kind: refusal };
    throw directoryUnavailable(`bind in LDAP pool ${pool.name}`, error);
  }
  return { kind: "ok", account: toDirectoryAccount(entry, mapping) };
}
