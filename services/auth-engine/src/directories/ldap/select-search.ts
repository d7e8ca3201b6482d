import { AppError } from "@postern/shared/errors";
import type { Filter } from "ldapts";
import type { DirectoryQuery } from "../directory.ts";
import { type AttributeMapping, attributesToRequest } from "./attributes.ts";
import { type BaseDn, compileBaseDn } from "./base-dn.ts";
import { compileFilter } from "./filter.ts";
import { createGroupFinder, type GroupFinder } from "./groups.ts";
import type { LdapPool } from "./ldap-pool.ts";
import { beforeUserIsFound } from "./macros.ts";
import type { LdapMfaSettings } from "./mfa-settings.ts";
import type { LdapGroupSettings, LdapScope, LdapSearchSettings } from "./settings.ts";

/** A configured search with its templates compiled and its pool found. */
export interface CompiledSearch {
  readonly pool: LdapPool;
  readonly baseDn: BaseDn;
  readonly scope: LdapScope;
  readonly filter: (query: DirectoryQuery) => Filter;
  readonly listFilter: ((query: DirectoryQuery) => Filter) | undefined;
  readonly mapping: AttributeMapping;
  readonly requested: string[];
  readonly disabledFilter: ((query: DirectoryQuery) => Filter) | undefined;
  readonly groups: { readonly finder: GroupFinder; readonly releaseAs: string | undefined } | undefined;
  readonly mfa: LdapMfaSettings;
  /** Tells what this search remembers from what another one of its pool does. */
  readonly cacheKey: string;
}

const releasable = /^[a-z0-9][a-z0-9_.;-]*$/i;

function compileGroups(groups: LdapGroupSettings | undefined, pool: LdapPool): CompiledSearch["groups"] {
  if (groups === undefined) return undefined;
  return { finder: createGroupFinder(groups, pool), releaseAs: groups.releaseAs };
}

function compileSearch(
  search: LdapSearchSettings,
  cacheKey: string,
  pools: ReadonlyMap<string, LdapPool>,
): CompiledSearch {
  const pool = pools.get(search.poolName);
  if (pool === undefined) {
    throw new AppError("CONFIG_INVALID", { detail: `LDAP search names the unknown pool ${search.poolName}` });
  }
  const { accountField, totpSecretField, attributes, listAccountsFilter, disabledFilter } = search;
  const groups = compileGroups(search.groups, pool);
  for (const name of [accountField, ...attributes, ...(groups?.finder.attributes ?? [])]) {
    if (releasable.test(name)) continue;
    throw new AppError("CONFIG_INVALID", {
      detail: `LDAP search attribute ${JSON.stringify(name)}: name each attribute (wildcards would release passwords)`,
    });
  }
  const mapping = { accountField, totpSecretField, attributes };
  return {
    pool,
    baseDn: compileBaseDn(beforeUserIsFound(search.baseDn)),
    scope: search.scope,
    filter: compileFilter(beforeUserIsFound(search.userFilter)),
    listFilter: listAccountsFilter === undefined ? undefined : compileFilter(beforeUserIsFound(listAccountsFilter)),
    mapping,
    requested: attributesToRequest(mapping, groups?.finder.attributes ?? []),
    disabledFilter: disabledFilter === undefined ? undefined : compileFilter(beforeUserIsFound(disabledFilter)),
    groups,
    mfa: search.mfa,
    cacheKey,
  };
}

/**
 * The searches of each protocol, in the order of the configuration; the first that finds the user decides. A protocol
 * without a search is not served: there is no fallback. Throws `CONFIG_INVALID`.
 */
export function compileSearches(
  searches: readonly LdapSearchSettings[],
  pools: ReadonlyMap<string, LdapPool>,
): ReadonlyMap<string, readonly CompiledSearch[]> {
  const byProtocol = new Map<string, CompiledSearch[]>();
  for (const [index, search] of searches.entries()) {
    const compiled = compileSearch(search, String(index), pools);
    for (const protocol of search.protocols) {
      byProtocol.set(protocol, [...(byProtocol.get(protocol) ?? []), compiled]);
    }
  }
  return byProtocol;
}
