import { isMapping } from "../json/index.ts";
import { type CidrSet, createCidrSet, parseCidr } from "../net/cidr-set.ts";

/** `auth.policy.sets`: lists that conditions name. */
export interface PolicySets {
  readonly networks: ReadonlyMap<string, CidrSet>;
  readonly strings: ReadonlyMap<string, readonly string[]>;
}

export interface RawSets {
  readonly networks: unknown;
  readonly strings: unknown;
}

type Problem = (path: string, expected: string) => void;

const listsOf = (value: unknown) => (isMapping(value) ? Object.entries(value) : []);

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Undefined if one of the entries is neither an address nor a network. */
export function cidrSetOf(entries: readonly string[]): CidrSet | undefined {
  return entries.every((entry) => parseCidr(entry) !== undefined) ? createCidrSet(entries) : undefined;
}

/** `path` is the path of `sets`; invalid sets are reported and omitted. */
export function readSets(raw: RawSets, path: string, problem: Problem): PolicySets {
  const networks = new Map<string, CidrSet>();
  const strings = new Map<string, readonly string[]>();
  for (const [name, list] of listsOf(raw.strings)) {
    if (isTexts(list)) strings.set(name, list);
    else problem(`${path}.strings.${name}`, "a list of strings");
  }
  for (const [name, list] of listsOf(raw.networks)) {
    const set = isTexts(list) ? cidrSetOf(list) : undefined;
    if (set === undefined) problem(`${path}.networks.${name}`, "a list of IP addresses and networks");
    else networks.set(name, set);
  }
  return { networks, strings };
}
