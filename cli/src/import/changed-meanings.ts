import type { ImportNote } from "./notes.ts";

type Names = readonly string[];

interface Meaning {
  /** `*` matches every name and position. */
  readonly path: string;
  readonly applies?: (value: unknown) => boolean;
  readonly text: string;
}

const isZero = (value: unknown): boolean => value === 0 || value === "0";

/** Keys that load here and do something else than in Nauthilus. */
const meanings: readonly Meaning[] = [
  ...["lookup_queue_length", "auth_queue_length"].flatMap((key) =>
    ["default", "pools.*"].map((pool) => ({
      path: `auth.backends.ldap.${pool}.${key}`,
      applies: isZero,
      text: "0 was unlimited; here it is 1024 waiting requests",
    })),
  ),
  {
    path: "auth.backends.lua.backend.default.queue_length",
    applies: isZero,
    text: "0 was unlimited; here it is 1000 calls that run or wait",
  },
  {
    path: "auth.backends.ldap.search",
    text: "a search that finds several entries is a temporary failure; their attributes are not merged",
  },
  ...["backend", "hooks", "environment", "subject", "actions"].map((key) => ({
    path: key === "backend" ? "auth.backends.lua.backend" : `auth.controls.lua.${key}`,
    text: "scripts use other functions: docs/operate/scripts",
  })),
  {
    path: "storage.redis.prefix",
    text: "records of the other product are not read; choose another prefix while both use one Redis",
  },
  {
    path: "auth.policy.policies",
    text: "conditions and effects are fewer: docs/operate/policies.md; postern config check lists what is not known",
  },
  {
    path: "identity.oidc.clients",
    text: "sub is the mapped unique user ID; set identity.subject: account if applications know users by account name",
  },
];

function valuesAt(value: unknown, [name, ...rest]: Names, path: string): readonly (readonly [string, unknown])[] {
  if (name === undefined) return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  const names = name === "*" ? Object.keys(value) : Object.hasOwn(value, name) ? [name] : [];
  return names.flatMap((one) => valuesAt(Reflect.get(value, one), rest, path === "" ? one : `${path}.${one}`));
}

const isSet = (value: unknown): boolean =>
  value !== null && value !== "" && !(typeof value === "object" && Object.keys(value).length === 0);

export function changedMeanings(tree: unknown): readonly ImportNote[] {
  return meanings.flatMap(({ path, applies = isSet, text }) =>
    valuesAt(tree, path.split("."), "")
      .filter(([, value]) => applies(value))
      .map(([found]): ImportNote => ({ kind: "changed", path: found, text })),
  );
}
