import { AppError } from "@postern/shared/platform/errors";
import { canonicalName, nameForms } from "@postern/shared/platform/net";
import type { Entry, Filter, SearchOptions } from "ldapts";
import type { BackendAccount, BackendContext, BackendQuery } from "../backend.ts";
import { backendUnavailable } from "../servers/errors.ts";
import { accountName, toBackendAccount } from "./attributes.ts";
import { isNoSuchObject } from "./errors.ts";
import type { GroupMember } from "./groups.ts";
import type { Group } from "./ldap-pool.ts";
import type { CompiledSearch } from "./select-search.ts";

export interface Found {
  readonly search: CompiledSearch;
  readonly entry: Entry;
  /** With the form of the name under which it was found. */
  readonly query: BackendQuery;
  /** From the DN cache; the entry may have another name on the server by now. */
  readonly isRemembered: boolean;
}

/** What a search without an entry is: the server's answer, or that answer to an earlier request. */
export type Absence = "absent" | "remembered_absence";

export const isFound = (found: Found | Absence): found is Found => typeof found === "object";

/** Enough to detect several entries. */
const sizeLimit = 2;

const lowerCased = (names: readonly (string | undefined)[]): readonly string[] =>
  names.flatMap((name) => (name === undefined ? [] : [canonicalName(name).toLowerCase()]));

/**
 * The one entry that a search finds. `isFresh` queries the server even if the entry is
 * cached. Throws `DIRECTORY_AMBIGUOUS` for more than one.
 */
async function findUnder(
  search: CompiledSearch,
  query: BackendQuery,
  context: BackendContext,
  isFresh: boolean,
): Promise<Found | Absence> {
  const { pool, mapping } = search;
  const { absent, entries } = pool.caches;
  const baseDn = search.baseDn.expand(query);
  const filter = search.filter(query);
  const { negativeTtlMs, dnTtlMs } = pool.settings.caches;
  const key = negativeTtlMs > 0 || dnTtlMs > 0 ? `${search.cacheKey}\0${baseDn}\0${filter.toString()}` : "";
  if (!isFresh) {
    const remembered = entries.get(key);
    if (remembered !== undefined) return { search, entry: remembered.entry, query, isRemembered: true };
    if (absent.get(key) !== undefined) return "remembered_absence";
  }
  const entry = await ask(search, { baseDn, filter }, context);
  if (entry === undefined) {
    entries.delete(key);
    absent.set(key, { names: lowerCased([query.username]) });
    return "absent";
  }
  entries.set(key, { entry, names: lowerCased([query.username, accountName(entry, mapping.accountField)]) });
  return { search, entry, query, isRemembered: false };
}

/**
 * Finds the user under any form of the name. The searches run side by side, so that the time does not reveal which of them found an
 * entry; the entry with A-labels takes precedence.
 */
export async function findInSearch(
  search: CompiledSearch,
  query: BackendQuery,
  context: BackendContext,
  isFresh = false,
): Promise<Found | Absence> {
  const [first, ...others] = nameForms(query.username);
  const under = (username: string) => findUnder(search, { ...query, username }, context, isFresh);
  if (others.length === 0) return under(first);
  const found = await Promise.all([first, ...others].map((username) => under(username)));
  const isRemembered = found.every((one) => one === "remembered_absence");
  return found.find(isFound) ?? (isRemembered ? "remembered_absence" : "absent");
}

async function ask(
  { pool, scope, baseDn: template, requested, binary }: CompiledSearch,
  { baseDn, filter }: { readonly baseDn: string; readonly filter: Filter },
  context: BackendContext,
): Promise<Entry | undefined> {
  try {
    const options = { scope, filter, attributes: requested, explicitBufferAttributes: binary, sizeLimit };
    const { searchEntries } = await pool.lookup.search(baseDn, options, context);
    if (searchEntries.length > 1) {
      throw new AppError("DIRECTORY_AMBIGUOUS", { detail: `more than one entry in LDAP pool ${pool.name}` });
    }
    return searchEntries[0];
  } catch (error) {
    // If a base that contains the user's domain does not exist, the user does not exist; a missing fixed base is a
    // configuration error.
    if (template.hasMacros && isNoSuchObject(error)) return undefined;
    throw backendUnavailable(`search in LDAP pool ${pool.name}`, error);
  }
}

/** Whether the site's filter for disabled accounts matches the entry. */
export async function isDisabled({ search, entry, query }: Found, context: BackendContext): Promise<boolean> {
  const { pool, disabledFilter } = search;
  if (disabledFilter === undefined) return false;
  const options: SearchOptions = { scope: "base", filter: disabledFilter(query), attributes: ["1.1"] };
  const doing = `search for a disabled account in LDAP pool ${pool.name}`;
  return (await pool.lookup.entries(doing, entry.dn, options, context)).length > 0;
}

/** The account with its groups. Throws `DIRECTORY_DATA` if the entry has no account name. */
export async function accountOf({ search, entry, query }: Found, context: BackendContext): Promise<BackendAccount> {
  const account = toBackendAccount(entry, search.mapping);
  if (search.groups === undefined) return account;
  const found = await groupsOf(search, { entry, account: account.account, query }, context);
  const groups = [...new Set(found.flatMap(({ name }) => name ?? []))];
  const { releaseAs } = search.groups;
  const member = { ...account, groups, groupDns: found.map(({ dn }) => dn) };
  if (releaseAs === undefined || groups.length === 0) return member;
  return { ...member, attributes: { ...account.attributes, [releaseAs]: [...groups] } };
}

async function groupsOf(
  { pool, groups, cacheKey }: CompiledSearch,
  member: GroupMember,
  context: BackendContext,
): Promise<readonly Group[]> {
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
    throw backendUnavailable(`search for groups in LDAP pool ${pool.name}`, error);
  }
}
