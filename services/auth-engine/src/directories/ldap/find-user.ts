import { AppError } from "@postern/shared/errors";
import type { Entry, SearchOptions } from "ldapts";
import type { DirectoryAccount, DirectoryContext, DirectoryQuery } from "../directory.ts";
import { directoryUnavailable } from "../servers/errors.ts";
import { accountName, toDirectoryAccount } from "./attributes.ts";
import { isNoSuchObject } from "./errors.ts";
import type { CompiledSearch } from "./select-search.ts";

export interface Found {
  readonly search: CompiledSearch;
  readonly entry: Entry;
  /** From `dn_cache_ttl`: the server may know it by another name by now. */
  readonly isRemembered: boolean;
}

/** Enough to tell one entry from several. */
const sizeLimit = 2;

const lowerCased = (names: readonly (string | undefined)[]): readonly string[] =>
  names.flatMap((name) => (name === undefined ? [] : [name.toLowerCase()]));

/**
 * The one entry of a search; undefined when there is none. `isFresh` asks the server whatever is remembered. Throws
 * `DIRECTORY_AMBIGUOUS` for more than one.
 */
export async function findInSearch(
  search: CompiledSearch,
  query: DirectoryQuery,
  context: DirectoryContext,
  isFresh = false,
): Promise<Found | undefined> {
  const { pool, mapping } = search;
  const { absent, entries } = pool.caches;
  const baseDn = search.baseDn.expand(query);
  const filter = search.filter(query);
  const { negativeTtlMs, dnTtlMs } = pool.settings.caches;
  const key = negativeTtlMs > 0 || dnTtlMs > 0 ? `${search.cacheKey}\0${baseDn}\0${filter.toString()}` : "";
  if (!isFresh) {
    const remembered = entries.get(key);
    if (remembered !== undefined) return { search, entry: remembered.entry, isRemembered: true };
    if (absent.get(key) !== undefined) return undefined;
  }
  const entry = await ask(search, { query, baseDn, filter }, context);
  if (entry === undefined) {
    entries.delete(key);
    absent.set(key, { names: lowerCased([query.username]) });
    return undefined;
  }
  entries.set(key, { entry, names: lowerCased([query.username, accountName(entry, mapping.accountField)]) });
  return { search, entry, isRemembered: false };
}

interface Question {
  readonly query: DirectoryQuery;
  readonly baseDn: string;
  readonly filter: ReturnType<CompiledSearch["filter"]>;
}

async function ask(
  { pool, scope, baseDn: template, requested }: CompiledSearch,
  { baseDn, filter }: Question,
  context: DirectoryContext,
): Promise<Entry | undefined> {
  const timeLimit = pool.settings.searchTimeLimitSeconds;
  try {
    const options = { scope, filter, attributes: requested, sizeLimit, timeLimit };
    const { searchEntries } = await pool.lookup.search(baseDn, options, context);
    if (searchEntries.length > 1) {
      throw new AppError("DIRECTORY_AMBIGUOUS", { detail: `more than one entry in LDAP pool ${pool.name}` });
    }
    return searchEntries[0];
  } catch (error) {
    // A base made of the user's domain that does not exist is a user that does not exist; a fixed one is a mistake.
    if (template.hasMacros && isNoSuchObject(error)) return undefined;
    throw directoryUnavailable(`search in LDAP pool ${pool.name}`, error);
  }
}

/** Whether the site's filter for accounts that are switched off fits the entry. */
export async function isDisabled(
  { search, entry }: Found,
  query: DirectoryQuery,
  context: DirectoryContext,
): Promise<boolean> {
  const { pool, disabledFilter } = search;
  if (disabledFilter === undefined) return false;
  const options: SearchOptions = {
    scope: "base",
    filter: disabledFilter(query),
    attributes: ["1.1"],
    timeLimit: pool.settings.searchTimeLimitSeconds,
  };
  try {
    const { searchEntries } = await pool.lookup.search(entry.dn, options, context);
    return searchEntries.length > 0;
  } catch (error) {
    throw directoryUnavailable(`search for a disabled account in LDAP pool ${pool.name}`, error);
  }
}

/** The account with its groups. Throws `DIRECTORY_DATA` when the entry has no account name. */
export async function accountOf(
  { search, entry }: Found,
  query: DirectoryQuery,
  context: DirectoryContext,
): Promise<DirectoryAccount> {
  const account = toDirectoryAccount(entry, search.mapping);
  if (search.groups === undefined) return account;
  const groups = await groupsOf(search, { entry, account: account.account, query }, context);
  const { releaseAs } = search.groups;
  if (releaseAs === undefined || groups.length === 0) return { ...account, groups };
  return { ...account, groups, attributes: { ...account.attributes, [releaseAs]: groups } };
}

async function groupsOf(
  { pool, groups, cacheKey }: CompiledSearch,
  member: { readonly entry: Entry; readonly account: string; readonly query: DirectoryQuery },
  context: DirectoryContext,
): Promise<readonly string[]> {
  if (groups === undefined) return [];
  const { memberships } = pool.caches;
  const key = `${cacheKey}\0${member.entry.dn.toLowerCase()}`;
  const remembered = groups.finder.asksServer ? memberships.get(key) : undefined;
  if (remembered !== undefined) return remembered.groups;
  try {
    const found = await groups.finder.find(member, context);
    const names = lowerCased([member.query.username, member.account]);
    if (groups.finder.asksServer) memberships.set(key, { groups: found, names });
    return found;
  } catch (error) {
    throw directoryUnavailable(`search for groups in LDAP pool ${pool.name}`, error);
  }
}
