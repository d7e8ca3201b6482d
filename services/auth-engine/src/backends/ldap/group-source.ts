import { AppError } from "@postern/shared/platform/errors";
import { type Entry, OrFilter, type SearchOptions } from "ldapts";
import type { BackendContext } from "../backend.ts";
import { findValues } from "./attributes.ts";
import { compileBaseDn } from "./base-dn.ts";
import { isNoSuchObject } from "./errors.ts";
import { compileFilter } from "./filter.ts";
import { type Group, leadingRdn } from "./group-name.ts";
import type { LdapPool } from "./ldap-pool.ts";
import type { LdapGroupSettings } from "./ldap-settings.ts";
import type { TemplateValues } from "./macros.ts";

export interface ReadGroup {
  readonly group: Group;
  readonly memberOf: readonly string[];
}

const namesInOneFilter = 50;

export function batches<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** Without a query if the DN contains the name. */
export function namedByDn(dn: string, nameAttribute: string): Group {
  const rdn = leadingRdn(dn);
  return { dn, name: rdn?.type.toLowerCase() === nameAttribute.toLowerCase() ? rdn.value : undefined };
}

function groupOf(dn: string, entry: Entry | undefined, nameAttribute: string): Group {
  const [entryName] = entry === undefined ? [] : findValues(entry, nameAttribute);
  return { dn, name: entryName ?? leadingRdn(dn)?.value };
}

/** Reads one group and the groups that it is in. */
export function createGroupReader({ attribute, nameAttribute }: LdapGroupSettings, pool: LdapPool) {
  const options: SearchOptions = {
    scope: "base",
    attributes: [nameAttribute, attribute],
    sizeLimit: 1,
    timeLimit: pool.settings.searchTimeLimitSeconds,
  };
  return async (dn: string, context: BackendContext): Promise<ReadGroup> => {
    try {
      const { searchEntries } = await pool.lookup.search(dn, options, context);
      const [entry] = searchEntries;
      const memberOf = entry === undefined ? [] : findValues(entry, attribute);
      return { group: groupOf(dn, entry, nameAttribute), memberOf };
    } catch (error) {
      // A group that was deleted while members still refer to it.
      if (isNoSuchObject(error)) return { group: groupOf(dn, undefined, nameAttribute), memberOf: [] };
      throw error;
    }
  };
}

export type SearchGroups = (members: readonly TemplateValues[], context: BackendContext) => Promise<readonly Group[]>;

/**
 * Finds the groups that any of the members is in, several members per search. Exceeding a server's limit is an error.
 */
export function createGroupSearch(settings: LdapGroupSettings, pool: LdapPool): SearchGroups {
  if (settings.strategy === "member_of") return () => Promise.resolve([]);
  const { scope, nameAttribute } = settings;
  const baseDn = compileBaseDn(settings.baseDn);
  const filter = compileFilter(settings.filter);
  const { searchTimeLimitSeconds: timeLimit, searchSizeLimit: sizeLimit = Number.POSITIVE_INFINITY } = pool.settings;
  return async (members, context) => {
    const found: Group[] = [];
    for (const batch of batches(members, namesInOneFilter)) {
      const [first] = batch;
      if (first === undefined) continue;
      const filters = batch.map((member) => filter(member));
      const options = { scope, filter: new OrFilter({ filters }), attributes: [nameAttribute], timeLimit };
      const { searchEntries } = await pool.lookup.search(baseDn.expand(first), options, context);
      // Not sent to the server: with a limit of ours, the client library would treat half a list as complete.
      if (searchEntries.length > sizeLimit) {
        throw new AppError("DIRECTORY_DATA", { detail: `a search for groups found more than ${sizeLimit} entries` });
      }
      found.push(...searchEntries.map((entry) => groupOf(entry.dn, entry, nameAttribute)));
    }
    return found;
  };
}
