import { isMapping } from "../../json/index.ts";
import type { createUnknownKeys } from "../accepted-keys.ts";
import { messages } from "../messages.ts";
import type { Report } from "../problem.ts";
import type { Environment, FromEnvironment } from "../sources/environment.ts";
import type { CollectionNode, LeafNode, LeafValue, SchemaNode, SectionNode } from "../tree/node.ts";
import { formatPath, type Path, valueAt, variablePart } from "../tree/walk.ts";
import { parseLeaf } from "./scalars.ts";

/** Where a value came from; `name` is the variable, the file, or the key that it follows. */
export interface ValueSource {
  readonly kind: "default" | "file" | "environment" | "secret-file" | "derived";
  readonly name?: string;
}

/** Where each key's value came from, by path. */
export type ConfigSources = ReadonlyMap<string, ValueSource>;

export interface ReadContext {
  readonly environment: Environment;
  readonly problem: Report;
  /** Checks a key that is not in the schema. */
  readonly unknownKey: ReturnType<typeof createUnknownKeys>;
  readonly sources: Map<string, ValueSource>;
  /** The text of a secret's file, or undefined (already reported). */
  readonly readSecretFile: (path: Path, file: string) => string | undefined;
}

/** Reads a part of the tree; an invalid value is reported and replaced by its default, so that reading continues. */
function readNode(node: SchemaNode, raw: unknown, path: Path, context: ReadContext): unknown {
  if (node.kind === "leaf") return readLeaf(node, raw, path, context);
  if (node.kind === "section") return readSection(node, raw, path, context);
  return node.kind === "list" ? readList(node, raw, path, context) : readMap(node, raw, path, context);
}

/**
 * A section; one that is absent or null is filled with defaults. Mappings and lists are new and may still be changed by `derive`. Tests
 * compare what is read with the schema; here that would take a twentieth of the CPU time of a start.
 */
export function readSection<Value>(node: SectionNode<Value>, raw: unknown, path: Path, context: ReadContext): Value {
  const tree = raw ?? {};
  if (!isMapping(tree)) context.problem(formatPath(path), messages.mustBe("a section with keys"));
  const known = isMapping(tree) ? tree : {};
  for (const [name, value] of Object.entries(known)) {
    if (!node.children.has(name)) context.unknownKey([...path, name], value, [...node.children.keys()]);
  }
  const read: unknown = Object.fromEntries(
    [...node.children].map(([name, child]) => {
      const value = Object.hasOwn(known, name) ? known[name] : undefined;
      return [name, readNode(child, value, [...path, name], context)];
    }),
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type is that of the children
  return read as Value;
}

function readList(node: CollectionNode, raw: unknown, path: Path, context: ReadContext): unknown {
  const items = raw ?? [];
  if (Array.isArray(items)) return items.map((item, index) => readSection(node.entry, item, [...path, index], context));
  context.problem(formatPath(path), messages.mustBe("a list of sections"));
  return [];
}

function readMap(node: CollectionNode, raw: unknown, path: Path, context: ReadContext): unknown {
  const tree = raw ?? {};
  if (!isMapping(tree)) {
    context.problem(formatPath(path), messages.mustBe("a mapping of names to sections"));
    return {};
  }
  const names = Object.keys(tree);
  for (const name of names.filter((name) => !isUsableName(name)))
    context.problem(formatPath([...path, name]), messages.badName);
  refuseLikeNames(names, path, context);
  return Object.fromEntries(
    names.filter(isUsableName).map((name) => [name, readSection(node.entry, tree[name], [...path, name], context)]),
  );
}

/** Rejects names that share an environment variable. */
function refuseLikeNames(names: readonly string[], path: Path, context: ReadContext): void {
  const seen = new Set<string>();
  for (const name of names) {
    const variable = variablePart(name);
    if (seen.has(variable)) context.problem(formatPath([...path, name]), messages.likeName);
    seen.add(variable);
  }
}

function isUsableName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name);
}

function readLeaf(node: LeafNode, raw: unknown, path: Path, context: ReadContext): LeafValue {
  const pathText = formatPath(path);
  const found = locate(node, raw, path, context);
  context.sources.set(pathText, found.source);
  if (found.value === undefined || found.value === null) {
    if (node.default === undefined && !found.reported) context.problem(pathText, messages.required);
    return fallback(node, pathText);
  }
  const parsed = parseLeaf(node, found.value);
  if (parsed.ok) return parsed.value;
  context.problem(pathText, parsed.reason, parsed.hint);
  return fallback(node, pathText);
}

interface Located {
  readonly value: unknown;
  readonly source: ValueSource;
  readonly reported?: boolean;
}

/** The environment takes precedence over the file, the file over the default. */
function locate(node: LeafNode, raw: unknown, path: Path, context: ReadContext): Located {
  const variable = context.environment.lookup(path, node.secret);
  if (variable !== undefined) return fromEnvironment(variable, path, context);
  if (raw === undefined || raw === null) return { value: undefined, source: { kind: "default" } };
  if (!isFileReference(raw)) return { value: raw, source: { kind: "file" } };
  if (node.secret) return fromSecretFile(raw.file, path, context);
  context.problem(formatPath(path), messages.onlySecretsFromFiles);
  return { value: undefined, source: { kind: "file" }, reported: true };
}

function fromEnvironment(variable: FromEnvironment, path: Path, context: ReadContext): Located {
  if (variable.kind === "file") return fromSecretFile(variable.file, path, context);
  return { value: variable.text, source: { kind: "environment", name: variable.name } };
}

function fromSecretFile(file: string, path: Path, context: ReadContext): Located {
  return { value: context.readSecretFile(path, file), source: { kind: "secret-file", name: file }, reported: true };
}

function isFileReference(value: unknown): value is { readonly file: string } {
  return isMapping(value) && Object.keys(value).length === 1 && typeof value["file"] === "string";
}

/**
 * Stands in for an invalid or missing value until the problems are reported. It contains the path, so that no two are equal.
 */
function fallback(node: LeafNode, pathText: string): LeafValue {
  if (node.default !== undefined) return node.default;
  return node.type === "texts" ? [pathText] : pathText;
}

/** The tree while it is being filled. */
export interface Draft {
  readonly root: unknown;
  readonly sources: Map<string, ValueSource>;
}

export function isDefault(draft: Draft, path: Path): boolean {
  return draft.sources.get(formatPath(path))?.kind === "default";
}

/** Copies a value to a key that is not set, unless its own source is a default as well. */
export function follow(draft: Draft, path: Path, from: Path): void {
  if (!isDefault(draft, path) || isDefault(draft, from)) return;
  assign(draft, path, valueAt(draft.root, from), formatPath(from));
}

export function assign(draft: Draft, path: Path, value: unknown, from: string): void {
  const parent = valueAt(draft.root, path.slice(0, -1));
  const name = path.at(-1);
  if (!isMapping(parent) || name === undefined) return;
  Reflect.set(parent, name, value);
  draft.sources.set(formatPath(path), { kind: "derived", name: from });
}
