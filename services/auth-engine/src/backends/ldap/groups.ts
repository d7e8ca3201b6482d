import { AppError } from "@postern/shared/platform/errors";
import { type Entry, OrFilter, type SearchOptions } from "ldapts";
import type { BackendContext, BackendQuery } from "../backend.ts";
import { findValues } from "./attributes.ts";
import { isNoSuchObject } from "./errors.ts";
import { compileFilter } from "./filter.ts";
import type { Group, LdapPool } from "./ldap-pool.ts";
import type { LdapGroupSettings } from "./ldap-settings.ts";
import { compileBaseDn, type TemplateValues } from "./macros.ts";

export interface ReadGroup {
  readonly group: Group;
  readonly memberOf: readonly string[];
}

const namesInOneFilter = 50;

function batches<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** A DN that contains the name costs no query. */
function namedByDn(dn: string, nameAttribute: string): Group {
  const rdn = leadingRdn(dn);
  return { dn, name: rdn?.type.toLowerCase() === nameAttribute.toLowerCase() ? rdn.value : undefined };
}

function groupOf(dn: string, entry: Entry | undefined, nameAttribute: string): Group {
  const [entryName] = entry === undefined ? [] : findValues(entry, nameAttribute);
  return { dn, name: entryName ?? leadingRdn(dn)?.value };
}

/** Reads one group and the groups that it is in. */
function createGroupReader({ attribute, nameAttribute }: LdapGroupSettings, pool: LdapPool) {
  const options: SearchOptions = { scope: "base", attributes: [nameAttribute, attribute], sizeLimit: 1 };
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
function createGroupSearch(settings: LdapGroupSettings, pool: LdapPool): SearchGroups {
  if (settings.strategy === "member_of") return () => Promise.resolve([]);
  const { scope, nameAttribute } = settings;
  const baseDn = compileBaseDn(settings.baseDn);
  const filter = compileFilter(settings.filter);
  const { searchSizeLimit: sizeLimit = Number.POSITIVE_INFINITY } = pool.settings;
  return async (members, context) => {
    const found: Group[] = [];
    for (const batch of batches(members, namesInOneFilter)) {
      const [first] = batch;
      if (first === undefined) continue;
      const filters = batch.map((member) => filter(member));
      const options = { scope, filter: new OrFilter({ filters }), attributes: [nameAttribute] };
      const { searchEntries } = await pool.lookup.search(baseDn.expand(first), options, context);
      // The server does not get this limit: the client library would treat half a list as complete.
      if (searchEntries.length > sizeLimit) {
        throw new AppError("DIRECTORY_DATA", { detail: `a search for groups found more than ${sizeLimit} entries` });
      }
      found.push(...searchEntries.map((entry) => groupOf(entry.dn, entry, nameAttribute)));
    }
    return found;
  };
}

const firstRdn = /^\s*([a-z][a-z0-9-]*|\d+(?:\.\d+)+)\s*=\s*((?:\\.|[^,+\\])*)/is;

/** The first attribute and value of a DN (RFC 4514), unescaped; undefined for anything but a DN. */
export function leadingRdn(dn: string): { readonly type: string; readonly value: string } | undefined {
  const [, type, raw] = firstRdn.exec(dn) ?? [];
  if (type === undefined || raw === undefined) return undefined;
  return { type, value: unescapeDnValue(raw.trimEnd()) };
}

/** RFC 4514 section 2.4: `\hh` are bytes of UTF-8; any other escaped character stands for itself. */
function unescapeDnValue(text: string): string {
  return text.replaceAll(/(?:\\[0-9a-f]{2})+|\\(.)/gis, (run: string, char: string | undefined) =>
    char === undefined ? Buffer.from(run.replaceAll("\\", ""), "hex").toString("utf8") : char,
  );
}

/** The user whose groups are searched. */
export interface GroupMember {
  readonly entry: Entry;
  readonly account: string;
  readonly query: BackendQuery;
}

/** Policies may test for the absence of a group, so a list that is too long is an error. */
const maxGroups = 1000;
const readsAtOnce = 8;

/** The groups of a level that no earlier level had. */
function unseen(level: readonly Group[], known: ReadonlyMap<string, Group>): readonly Group[] {
  const byDn = new Map(level.map((group) => [group.dn.toLowerCase(), group]));
  return [...byDn].flatMap(([key, group]) => (known.has(key) ? [] : [group]));
}

/**
 * Follows `memberOf` values, searches for groups, or both, level by level up to `maxDepth`; each group is visited once,
 * so rings end.
 */
export function createGroupFinder(settings: LdapGroupSettings, pool: LdapPool) {
  const { attribute, nameAttribute, recursive, maxDepth, strategy } = settings;
  const follows = strategy !== "search";
  const read = createGroupReader(settings, pool);
  const searchGroups = createGroupSearch(settings, pool);

  const describeGroup = (group: Group, goesOn: boolean, context: BackendContext): Promise<ReadGroup> =>
    (follows && goesOn) || group.name === undefined
      ? read(group.dn, context)
      : Promise.resolve({ group, memberOf: [] });

  const describe = async (groups: readonly Group[], goesOn: boolean, context: BackendContext) => {
    const described: ReadGroup[] = [];
    for (const batch of batches(groups, readsAtOnce)) {
      described.push(...(await Promise.all(batch.map((group) => describeGroup(group, goesOn, context)))));
    }
    return described;
  };

  return {
    /** Attributes to request with the user's own entry. */
    attributes: follows ? [attribute] : [],
    /** Whether the user's entry alone is not enough. */
    asksServer: strategy !== "member_of" || recursive,
    /** The groups, each once. Throws if a server cannot answer: a partial list is never returned. */
    find: async ({ entry, account, query }: GroupMember, context: BackendContext): Promise<readonly Group[]> => {
      const known = new Map<string, Group>();
      const direct = follows ? findValues(entry, attribute) : [];
      let level = [
        ...direct.map((dn) => namedByDn(dn, nameAttribute)),
        ...(await searchGroups([{ ...query, account, userDn: entry.dn }], context)),
      ];
      for (let depth = 1; level.length > 0; depth += 1) {
        const fresh = unseen(level, known);
        if (known.size + fresh.length > maxGroups) {
          throw new AppError("DIRECTORY_DATA", { detail: `${entry.dn} is in more than ${maxGroups} groups` });
        }
        const goesOn = recursive && depth < maxDepth;
        const described = await describe(fresh, goesOn, context);
        for (const { group } of described) known.set(group.dn.toLowerCase(), group);
        if (!goesOn) break;
        const parents = described.flatMap(({ memberOf }) => memberOf);
        const members = fresh.map(({ dn }) => ({ ...query, account, userDn: dn }));
        level = [...parents.map((dn) => namedByDn(dn, nameAttribute)), ...(await searchGroups(members, context))];
      }
      return [...known.values()];
    },
  };
}
