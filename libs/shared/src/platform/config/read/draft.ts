import { formatPath, type Path } from "../tree/path.ts";
import { isMapping, valueAt } from "../tree/walk.ts";
import type { MutableValue, ValueSource } from "./reader.ts";

/** The tree while it is being filled. */
export interface Draft {
  readonly root: { [name: string]: MutableValue };
  readonly sources: Map<string, ValueSource>;
}

export function isDefault(draft: Draft, path: Path): boolean {
  return draft.sources.get(formatPath(path))?.kind === "default";
}

/** Copies a value, unless its own source is a default as well. */
export function follow(draft: Draft, path: Path, from: Path): void {
  if (isDefault(draft, from)) return;
  assign(draft, path, valueAt(draft.root, from), formatPath(from));
}

export function assign(draft: Draft, path: Path, value: unknown, from: string): void {
  const parent = valueAt(draft.root, path.slice(0, -1));
  const name = path.at(-1);
  if (!isMapping(parent) || name === undefined) return;
  Reflect.set(parent, name, value);
  draft.sources.set(formatPath(path), { kind: "derived", name: from });
}
