import { AppError } from "@postern/shared/platform/errors";
import type { Entry } from "ldapts";
import type { BackendContext, BackendQuery } from "../backend.ts";
import { findValues } from "./attributes.ts";
import type { Group } from "./group-name.ts";
import { batches, createGroupReader, createGroupSearch, namedByDn, type ReadGroup } from "./group-source.ts";
import type { LdapPool } from "./ldap-pool.ts";
import type { LdapGroupSettings } from "./ldap-settings.ts";

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
