import { type Config, Root } from "./sections/root.ts";
import type { Reload } from "./tree/node.ts";
import { formatPath, valueLeaves } from "./tree/walk.ts";

/** Paths of changed keys that wait for a restart, sorted. Keys of added or removed entries count as changed. */
export function diffReload(before: Config, after: Config): readonly string[] {
  return changedKeys(before, after)
    .filter(([, reload]) => reload === "restart")
    .map(([path]) => path);
}

/** Paths of all changed keys with what they need to take effect, sorted. */
export function changedKeys(before: Config, after: Config): readonly (readonly [path: string, reload: Reload])[] {
  // Every start compares its configuration with itself, for which all keys would be read twice.
  if (before === after) return [];
  const old = leavesByPath(before);
  const young = leavesByPath(after);
  const paths = new Set([...old.keys(), ...young.keys()]);
  return [...paths]
    .toSorted()
    .filter((path) => old.get(path)?.value !== young.get(path)?.value)
    .map((path) => [path, (young.get(path) ?? old.get(path))?.reload ?? "restart"] as const);
}

function leavesByPath(config: Config) {
  const leaves = valueLeaves(Root, config);
  return new Map(
    leaves.map(({ path, node, value }) => [formatPath(path), { reload: node.reload, value: JSON.stringify(value) }]),
  );
}
