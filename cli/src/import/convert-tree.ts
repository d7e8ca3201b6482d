import {
  createAcceptedKeys,
  movedReason,
  parseBackendEntry,
  renamedKeys,
  schemaTree,
} from "@postern/shared/platform/config";
import {
  formatPath,
  type LeafNode,
  type Path,
  parsePath,
  type SchemaNode,
  type SectionNode,
} from "@postern/shared/platform/config/tree";
import { isMapping, type Mapping } from "@postern/shared/platform/json";
import type { ImportNote } from "./notes.ts";

type Entries = readonly (readonly [string, unknown])[];

export interface Converted {
  readonly tree: Mapping;
  readonly notes: readonly ImportNote[];
  /** Values by the name of their file. */
  readonly secrets: ReadonlyMap<string, string>;
}

interface Conversion {
  readonly notes: ImportNote[];
  readonly secrets: Map<string, string>;
  readonly secretFile: (name: string) => string;
}

const accepted = createAcceptedKeys();

/** Keys of the loader, which have no place in the tree. */
const loaderKeys: ReadonlyMap<string, string> = new Map([
  ["includes", "the files are not read: merge them into one file first"],
  ["patch", "the operations are not applied: apply them first"],
  ["env", "selects included files, and there are none"],
]);

function nameOf(path: Path): string {
  return path
    .map((part) => String(part).replaceAll(/[^A-Za-z0-9-]/gu, "_"))
    .join("_")
    .slice(0, 200);
}

function withUnit(value: unknown): string | undefined {
  const written = typeof value === "number" ? String(value) : value;
  if (typeof written !== "string" || !/^\d{1,12}(?:\.\d{1,3})?$/u.test(written) || Number(written) === 0)
    return undefined;
  return written;
}

function convertSecret(written: unknown, path: Path, { notes, secrets, secretFile }: Conversion): unknown {
  const value = typeof written === "number" ? String(written) : written;
  if (value !== written)
    notes.push({
      kind: "changed",
      path: formatPath(path),
      text: "was a number without quotes: check its zeros in the file",
    });
  // A variable is no secret, and is expanded here as well.
  if (typeof value !== "string" || value === "" || value.includes("${")) return value;
  const base = nameOf(path);
  let name = base;
  for (let count = 2; secrets.has(name); count += 1) name = `${base}_${count}`;
  secrets.set(name, value);
  return { file: secretFile(name) };
}

function convertDuration(value: unknown, path: Path, { notes }: Conversion): unknown {
  const written = withUnit(value);
  if (written === undefined) return value;
  const text = `had no unit; a number without one is read as nanoseconds elsewhere and is rejected here. ${written}s was written: correct the unit`;
  notes.push({ kind: "changed", path: formatPath(path), text });
  return `${written}s`;
}

function convertOrder(value: unknown, path: Path, { notes }: Conversion): unknown {
  if (!Array.isArray(value)) return value;
  return value.filter((entry: unknown, index) => {
    if (typeof entry !== "string" || entry === "cache" || parseBackendEntry(entry) !== undefined) return true;
    const kind = /^[a-z]{1,20}/u.exec(entry)?.[0] ?? "entry";
    const name = /^[a-z]+\(([\w-]{1,64})\)$/u.exec(entry)?.[1];
    const what = name === undefined ? kind : `${kind} ${name}`;
    const text = `backend ${what} has no counterpart, so its users cannot sign in; add an LDAP, SQL or Lua backend instead, or for another server auth.backends.http`;
    notes.push({ kind: "absent", path: formatPath([...path, index]), text });
    return false;
  });
}

function convertLeaf(node: LeafNode, value: unknown, path: Path, conversion: Conversion): unknown {
  if (node.secret) return convertSecret(value, path, conversion);
  if (node.type === "duration") return convertDuration(value, path, conversion);
  return formatPath(path) === "auth.backends.order" ? convertOrder(value, path, conversion) : value;
}

function convertNode(node: SchemaNode, value: unknown, path: Path, conversion: Conversion): unknown {
  if (node.kind === "leaf") return convertLeaf(node, value, path, conversion);
  if (node.kind === "section") return isMapping(value) ? convertSection(node, value, path, conversion) : value;
  if (node.kind === "list" && Array.isArray(value))
    return value.map((item: unknown, index) => convertNode(node.entry, item, [...path, index], conversion));
  if (node.kind === "map" && isMapping(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, convertNode(node.entry, item, [...path, name], conversion)]),
    );
  return value;
}

/** `key_file` beside a secret `key` whose file is named by `{ file: … }` here. */
function secretBeside(name: string, { children }: SectionNode, section: Mapping): string | undefined {
  const stem = name.endsWith("_file") ? name.slice(0, -"_file".length) : "";
  const node = children.get(stem);
  return node?.kind === "leaf" && node.secret && !Object.hasOwn(section, stem) ? stem : undefined;
}

/** A key that the schema does not have. */
function convertOther(
  name: string,
  value: unknown,
  at: { node: SectionNode; section: Mapping; path: Path },
  conversion: Conversion,
): Entries {
  const path = [...at.path, name];
  const note = (kind: ImportNote["kind"], text: string): void => {
    conversion.notes.push({ kind, path: formatPath(path), text });
  };
  const stem = secretBeside(name, at.node, at.section);
  if (stem !== undefined && typeof value === "string") {
    note("renamed", `${stem}: { file: … }`);
    return value === "" ? [] : [[stem, { file: value }]];
  }
  const loader = at.path.length === 0 ? loaderKeys.get(name) : undefined;
  const known = accepted.coverage(path) !== "none";
  note("absent", loader ?? (known ? (movedReason(path) ?? "has no effect here") : "is not a known key"));
  return [];
}

function convertSection(node: SectionNode, section: Mapping, path: Path, conversion: Conversion): Mapping {
  return Object.fromEntries(
    Object.entries(section).flatMap(([name, value]): Entries => {
      const child = node.children.get(name);
      if (child !== undefined) return [[name, convertNode(child, value, [...path, name], conversion)]];
      return convertOther(name, value, { node, section, path }, conversion);
    }),
  );
}

function valueAt(tree: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined) return tree;
  return isMapping(tree) && Object.hasOwn(tree, name) ? valueAt(tree[name], rest) : undefined;
}

function without(tree: Mapping, [name = "", ...rest]: Path): Mapping {
  return Object.fromEntries(
    Object.entries(tree).flatMap(([key, value]) => {
      if (key !== name) return [[key, value]];
      return rest.length > 0 && isMapping(value) ? [[key, without(value, rest)]] : [];
    }),
  );
}

function put(tree: Mapping, [name = "", ...rest]: Path, value: unknown): Mapping {
  if (rest.length === 0) return { ...tree, [name]: value };
  const child = Object.hasOwn(tree, name) ? tree[name] : undefined;
  return { ...tree, [name]: put(isMapping(child) ? child : {}, rest, value) };
}

/** A key under its current name; if that is set too, it takes precedence. */
function rename(tree: Mapping, { notes }: Conversion): Mapping {
  return Object.entries(renamedKeys).reduce((current, [from, to]) => {
    const value = valueAt(current, parsePath(from));
    if (value === undefined) return current;
    notes.push({ kind: "renamed", path: from, text: to });
    const rest = without(current, parsePath(from));
    return valueAt(rest, parsePath(to)) === undefined ? put(rest, parsePath(to), value) : rest;
  }, tree);
}

/** The tree with the keys of this version only. `secretFile` gives the path of a secret's file. */
export function convertTree(written: Mapping, secretFile: (name: string) => string): Converted {
  const conversion: Conversion = { notes: [], secrets: new Map(), secretFile };
  // Roots that begin with x- hold anchors, which are merged already.
  const named = Object.fromEntries(Object.entries(written).filter(([name]) => !name.startsWith("x-")));
  const tree = convertSection(schemaTree, rename(named, conversion), [], conversion);
  return { tree, notes: conversion.notes, secrets: conversion.secrets };
}
