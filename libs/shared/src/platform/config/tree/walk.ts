import { isMapping } from "../../json/index.ts";
import type { LeafNode, SchemaNode } from "./node.ts";

/** Names and list positions from the root down. */
export type Path = readonly (string | number)[];

/** `auth.backends.ldap.search[0].base_dn` */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
}

/** The reverse of `formatPath`; `search.0` is read like `search[0]`. */
export function parsePath(text: string): Path {
  return text
    .replaceAll(/\[(\d+)\]/g, ".$1")
    .split(".")
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** First word of the variables. */
export const variablePrefix = "SERVICE";

/** A part of a path as the variable of a key contains it. */
export function variablePart(part: string | number): string {
  return String(part)
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, "_");
}

/** `SERVICE_AUTH_BACKENDS_LDAP_SEARCH_0_BASE_DN` */
export function environmentName(path: Path): string {
  return [variablePrefix, ...path.map(variablePart)].join("_");
}

export interface Leaf {
  readonly path: Path;
  readonly node: LeafNode;
}

/** Every key with a fixed path; entries of lists and maps have none before a file names them. */
export function fixedLeaves(node: SchemaNode, path: Path = []): readonly Leaf[] {
  if (node.kind === "leaf") return [{ path, node }];
  if (node.kind !== "section") return [];
  return [...node.children].flatMap(([name, child]) => fixedLeaves(child, [...path, name]));
}

/** Every key of a filled tree, with its value. */
export function valueLeaves(node: SchemaNode, value: unknown, path: Path = []): readonly (Leaf & { value: unknown })[] {
  if (node.kind === "leaf") return [{ path, node, value }];
  if (node.kind === "list" && Array.isArray(value)) {
    return value.flatMap((item, index) => valueLeaves(node.entry, item, [...path, index]));
  }
  if (!isMapping(value)) return [];
  if (node.kind === "map") {
    return Object.entries(value).flatMap(([name, item]) => valueLeaves(node.entry, item, [...path, name]));
  }
  if (node.kind === "section") {
    return [...node.children].flatMap(([name, child]) => valueLeaves(child, value[name], [...path, name]));
  }
  return [];
}

/** The node at a path, or undefined. */
export function nodeAt(root: SchemaNode, path: Path): SchemaNode | undefined {
  return path.reduce<SchemaNode | undefined>((node, part) => {
    if (node === undefined || node.kind === "leaf") return undefined;
    if (node.kind === "section") return node.children.get(String(part));
    return node.kind === "list" && typeof part !== "number" ? undefined : node.entry;
  }, root);
}

/** The value at a path, or undefined. */
export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => {
    if (Array.isArray(value)) return typeof part === "number" ? value[part] : undefined;
    return isMapping(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }, root);
}
