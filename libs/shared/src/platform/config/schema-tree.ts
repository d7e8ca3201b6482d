import { type TSchema, Type } from "typebox";
import { isFormName } from "./forms.ts";
import { type Draft, follow } from "./read/reader.ts";
import { Root } from "./sections/root.ts";
import { deriveRedisRoles } from "./sections/storage.ts";
import type { LeafNode, LeafType, LeafValue, Reload, SchemaNode, SectionNode } from "./tree/node.ts";
import { isMapping, parsePath, valueLeaves } from "./tree/walk.ts";

/** The whole schema as a tree for reading, documentation and redaction. */
export function schemaTree(): SectionNode {
  return toSection(Root, "restart");
}

/** Fills unset keys from the keys that they follow. */
export function derive(tree: SectionNode, draft: Draft): void {
  for (const { path, node } of valueLeaves(tree, draft.root)) {
    if (node.defaultFrom !== undefined) follow(draft, path, parsePath(node.defaultFrom));
  }
  deriveRedisRoles(draft);
}

/** Throws on a schema that `sections/fields.ts` cannot have built, which is a bug. */
function toNode(schema: TSchema, around: Reload): SchemaNode {
  if (Type.IsObject(schema)) return toSection(schema, around);
  if (Type.IsRecord(schema)) {
    const [entry] = Object.values(schema.patternProperties);
    if (entry === undefined) throw new TypeError("record without a schema");
    return { kind: "map", description: textOf(schema, "description") ?? "", entry: toSection(entry, around) };
  }
  if (Type.IsArray(schema) && Type.IsObject(schema.items)) {
    return { kind: "list", description: textOf(schema, "description") ?? "", entry: toSection(schema.items, around) };
  }
  return toLeaf(schema, around);
}

/** One section as a tree. */
export function toSection(schema: TSchema, around: Reload): SectionNode {
  if (!Type.IsObject(schema)) throw new TypeError("not a section");
  const reload = reloadOf(schema, around);
  const children = new Map(Object.entries(schema.properties).map(([name, child]) => [name, toNode(child, reload)]));
  return { kind: "section", description: textOf(schema, "description") ?? "", children };
}

/** When a key takes effect: its own setting, or that of the section around it. */
function reloadOf(schema: TSchema, around: Reload): Reload {
  const own = option(schema, "reload");
  return own === "live" || own === "restart" ? own : around;
}

function toLeaf(schema: TSchema, around: Reload): LeafNode {
  const form = option(schema, "form");
  return {
    kind: "leaf",
    type: leafType(schema),
    description: textOf(schema, "description") ?? "",
    default: valueOf(schema, "default"),
    defaultFrom: textOf(schema, "defaultFrom"),
    secret: option(schema, "secret") === true,
    reload: reloadOf(schema, around),
    unit: textOf(schema, "unit"),
    form: isFormName(form) ? form : undefined,
    choices: Type.IsEnum(schema) ? schema.enum.map(String) : [],
    minimum: numberOf(schema, "minimum"),
    maximum: numberOf(schema, "maximum"),
    minLength: numberOf(schema, "minLengthWhenSet") ?? numberOf(schema, "minLength"),
    maxLength: numberOf(schema, "maxLength"),
    minItems: numberOf(schema, "minItems"),
    example: valueOf(schema, "example"),
  };
}

function leafType(schema: TSchema): LeafType {
  if (Type.IsString(schema)) return "text";
  if (Type.IsBoolean(schema)) return "flag";
  if (Type.IsInteger(schema)) return "integer";
  if (Type.IsNumber(schema)) return option(schema, "duration") === true ? "duration" : "number";
  if (Type.IsEnum(schema)) return "choice";
  if (Type.IsArray(schema)) return "texts";
  if (Type.IsUnion(schema)) return "scalar";
  if (Type.IsUnknown(schema)) return "structure";
  throw new TypeError("a kind of schema that configuration does not use");
}

function option(schema: TSchema, name: string): unknown {
  return Reflect.get(schema, name);
}

function textOf(schema: TSchema, name: string): string | undefined {
  const value = option(schema, name);
  return typeof value === "string" ? value : undefined;
}

function numberOf(schema: TSchema, name: string): number | undefined {
  const value = option(schema, name);
  return typeof value === "number" ? value : undefined;
}

function valueOf(schema: TSchema, name: string): LeafValue | undefined {
  const value = option(schema, name);
  if (Array.isArray(value)) return value.map(String);
  if (isMapping(value)) return value;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : undefined;
}
