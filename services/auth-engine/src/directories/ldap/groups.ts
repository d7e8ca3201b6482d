import { AppError } from "@postern/shared/errors";
import type { Entry } from "ldapts";
import type { DirectoryContext, DirectoryQuery } from "../directory.ts";
import { findValues } from "./attributes.ts";
import {
  batches,
  createGroupReader,
  createGroupSearch,
  type Group,
  namedByDn,
  type ReadGroup,
} from "./group-source.ts";
import type { LdapPool } from "./ldap-pool.ts";
import type { LdapGroupSettings } from "./settings.ts";

/** A user as groups are looked for. */
export interface GroupMember {
  readonly entry: Entry;
  readonly account: string;
  readonly query: DirectoryQuery;
}

export interface GroupFinder {
  /** What to ask for with the user's own entry. */
  readonly attributes: readonly string[];
  /** Whether the user's entry alone does not say it. */
  readonly asksServer: boolean;
  /** Names of the groups, each once. Throws when a server cannot say: half a list of groups is none. */
  find(member: GroupMember, context: DirectoryContext): Promise<readonly string[]>;
}

/** Policies may ask for the absence of a group, so a list that is too long is no list. */
const maxGroups = 1000;
const readsAtOnce = 8;

/** Those of a level that no earlier one had. */
function unseen(level: readonly Group[], known: ReadonlyMap<string, Group>): readonly Group[] {
  const byDn = new Map(level.map((group) => [group.dn.toLowerCase(), group]));
  return [...byDn].flatMap(([key, group]) => (known.has(key) ? [] : [group]));
}

/** Follows `memberOf` values, searches for groups, or both, level by level up to `maxDepth`; rings end by themselves. */
export function createGroupFinder(settings: LdapGroupSettings, pool: LdapPool): GroupFinder {
  const { attribute, nameAttribute, recursive, maxDepth, strategy } = settings;
  const follows = strategy !== "search";
  const read = createGroupReader(settings, pool);
  const searchGroups = createGroupSearch(settings, pool);

  const describeGroup = (group: Group, goesOn: boolean, context: DirectoryContext): Promise<ReadGroup> =>
    (follows && goesOn) || group.name === undefined
      ? read(group.dn, context)
      : Promise.resolve({ group, memberOf: [] });

  const describe = async (groups: readonly Group[], goesOn: boolean, context: DirectoryContext) => {
    const described: ReadGroup[] = [];
    for (const batch of batches(groups, readsAtOnce)) {
      described.push(...(await Promise.all(batch.map((group) => describeGroup(group, goesOn, context)))));
    }
    return described;
  };

  return {
    attributes: follows ? [attribute] : [],
    asksServer: strategy !== "member_of" || recursive,
    find: async ({ entry, account, query }, context) => {
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
      return [...new Set([...known.values()].flatMap(({ name }) => name ?? []))];
    },
  };
}
