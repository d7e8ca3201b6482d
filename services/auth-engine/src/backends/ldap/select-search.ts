import { AppError } from "@postern/shared/platform/errors";
import { attributesToRequest, binaryAttributes } from "./attributes.ts";
import { compileFilter } from "./filter.ts";
import { type FilterNode, parseFilter } from "./filter-parser.ts";
import { createGroupFinder } from "./groups.ts";
import type { LdapPool } from "./ldap-pool.ts";
import type { LdapGroupSettings, LdapSearchSettings } from "./ldap-settings.ts";
import { beforeUserIsFound, compileBaseDn, usesMacro } from "./macros.ts";

/** Macros that identify the user who signs in; the domain alone would match all its users. */
const userMacros: ReadonlySet<string> = new Set(["user", "username"]);
/** Macros that identify a member of groups. */
const memberMacros: ReadonlySet<string> = new Set([...userMacros, "user_dn", "account"]);

/** Whether every match of the filter equals the name in at least one attribute. */
function isBound(node: FilterNode, macros: ReadonlySet<string>): boolean {
  switch (node.kind) {
    case "and":
      return node.children.some((child) => isBound(child, macros));
    case "or":
      return node.children.every((child) => isBound(child, macros));
    case "not":
    case "present":
      return false;
    case "substring":
      return node.pieces.some((piece) => usesMacro(piece, macros));
    case "equal":
    case "approximate":
    case "extensible":
      return usesMacro(node.value, macros);
    case "atLeast":
    case "atMost":
      return false;
    default:
      return node satisfies never;
  }
}

function names(node: FilterNode, macros: ReadonlySet<string>): boolean {
  if (node.kind === "and" || node.kind === "or") return node.children.some((child) => names(child, macros));
  return node.kind === "not" ? names(node.child, macros) : isBound(node, macros);
}

/**
 * Requires the name in the filter or in the base. Without it, a search finds the same entry for every name, so the
 * owner of that entry's password could sign in under any name. Each alternative of `(|…)` needs the name. Throws
 * `CONFIG_INVALID`.
 */
export function requireUserName(filter: string, baseDn: string): void {
  if (usesMacro(baseDn, userMacros) || isBound(parseFilter(filter), userMacros)) return;
  throw new AppError("CONFIG_INVALID", {
    detail: `LDAP filter ${JSON.stringify(filter)} matches entries regardless of the user name: compare an attribute with %s, %{user} or %{username}, in each alternative`,
  });
}

/** Requires a member in a group filter: without one, every user is in the same groups. Throws `CONFIG_INVALID`. */
export function requireMember(filter: string): void {
  if (names(parseFilter(filter), memberMacros)) return;
  throw new AppError("CONFIG_INVALID", {
    detail: `LDAP filter ${JSON.stringify(filter)} finds the same groups for every user: compare an attribute with %{user_dn}, %{account} or %{user}`,
  });
}

export type CompiledSearch = ReturnType<typeof compileSearch>;

/** A part of a search under its key below `auth.backends.ldap.search[]`. `compile` throws `CONFIG_INVALID`. */
export interface SearchPart {
  readonly key: string;
  readonly compile: () => unknown;
}

function compileUserFilter({ userFilter, baseDn }: LdapSearchSettings) {
  requireUserName(userFilter, baseDn);
  return compileFilter(beforeUserIsFound(userFilter));
}

function compileOptional(filter: string | undefined) {
  return filter === undefined ? undefined : compileFilter(beforeUserIsFound(filter));
}

function checkGroupFilter({ strategy, filter }: LdapGroupSettings): void {
  if (strategy === "member_of") return;
  compileFilter(filter);
  requireMember(filter);
}

/** Compiles each part separately, so that a check can report all problems with their keys. */
export function searchParts(search: LdapSearchSettings): readonly SearchPart[] {
  const { baseDn, listAccountsFilter, disabledFilter, accountField, attributes, groups } = search;
  return [
    { key: "filter.user", compile: () => compileUserFilter(search) },
    { key: "base_dn", compile: () => compileBaseDn(beforeUserIsFound(baseDn)) },
    { key: "filter.list_accounts", compile: () => compileOptional(listAccountsFilter) },
    { key: "filter.disabled", compile: () => compileOptional(disabledFilter) },
    { key: "mapping.account_field", compile: () => assertReleasable([accountField]) },
    { key: "attribute", compile: () => assertReleasable(attributes) },
    ...(groups === undefined
      ? []
      : [
          { key: "groups.filter", compile: () => checkGroupFilter(groups) },
          { key: "groups.base_dn", compile: () => compileBaseDn(groups.baseDn) },
        ]),
  ];
}

const releasable = /^[a-z0-9][a-z0-9_.;-]*$/i;

function assertReleasable(names: readonly string[]): void {
  for (const name of names) {
    if (releasable.test(name)) continue;
    throw new AppError("CONFIG_INVALID", {
      detail: `LDAP search attribute ${JSON.stringify(name)}: list each attribute by name (a wildcard would release passwords)`,
    });
  }
}

function compileGroups(groups: LdapGroupSettings | undefined, pool: LdapPool) {
  if (groups === undefined) return undefined;
  checkGroupFilter(groups);
  return { finder: createGroupFinder(groups, pool), releaseAs: groups.releaseAs };
}

/**
 * A configured search with its templates compiled and its pool found.
 *
 * @param cacheKey distinguishes this search's cache entries from those of other searches of its pool
 */
function compileSearch(search: LdapSearchSettings, cacheKey: string, pools: ReadonlyMap<string, LdapPool>) {
  const pool = pools.get(search.poolName);
  if (pool === undefined) {
    throw new AppError("CONFIG_INVALID", { detail: `LDAP search refers to the unknown pool ${search.poolName}` });
  }
  const { accountField, totpSecretField, attributes, listAccountsFilter, disabledFilter } = search;
  const groups = compileGroups(search.groups, pool);
  const { uniqueUserIdField, displayNameField } = search.mfa;
  const mapped = [uniqueUserIdField, displayNameField].filter((name) => name !== "");
  assertReleasable([accountField, ...mapped, ...attributes, ...(groups?.finder.attributes ?? [])]);
  const mapping = { accountField, uniqueUserIdField, displayNameField, totpSecretField, attributes };
  return {
    pool,
    baseDn: compileBaseDn(beforeUserIsFound(search.baseDn)),
    scope: search.scope,
    filter: compileUserFilter(search),
    listFilter: compileOptional(listAccountsFilter),
    mapping,
    requested: attributesToRequest(mapping, groups?.finder.attributes ?? []),
    /** Those of them that are read as bytes. */
    binary: binaryAttributes(mapping),
    disabledFilter: compileOptional(disabledFilter),
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
