import { acceptedKeys, schemaTree } from "@postern/shared/platform/config";
import type { LeafNode, SchemaNode, SectionNode } from "@postern/shared/platform/config/tree";
import { showType, showValue } from "../show-value.ts";

type Json = Readonly<Record<string, unknown>>;

/** JSON Schema of the file, for editors. It contains no rules between keys; only the reader checks these. */
export function configJsonSchema(): Json {
  const root = sectionSchema(schemaTree, []);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Postern configuration",
    ...root,
    patternProperties: { "^x-": {} },
  };
}

function nodeSchema(node: SchemaNode, path: readonly string[]): Json {
  const { description } = node;
  if (node.kind === "section") return sectionSchema(node, path);
  if (node.kind === "list") return { type: "array", description, items: sectionSchema(node.entry, [...path, "*"]) };
  if (node.kind === "map") {
    return { type: "object", description, additionalProperties: sectionSchema(node.entry, [...path, "*"]) };
  }
  if (node.kind === "leaf") return leafSchema(node);
  return node.kind satisfies never;
}

function sectionSchema(node: SectionNode, path: readonly string[]): Json {
  const children = [...node.children];
  const known = children.map(([name, child]) => [name, nodeSchema(child, [...path, name])] as const);
  const required = children.filter(([, child]) => child.kind === "leaf" && child.default === undefined);
  return {
    type: ["object", "null"],
    description: node.description,
    properties: Object.fromEntries([...known, ...acceptedBelow(path, node)]),
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required: required.map(([name]) => name) }),
  };
}

/** Keys without effect directly below a section. */
function acceptedBelow(path: readonly string[], node: SectionNode): readonly (readonly [string, Json])[] {
  const names = acceptedKeys
    .map((row) => row.split("."))
    .filter((row) => row.length > path.length && path.every((part, index) => row[index] === part))
    .map((row) => row[path.length] ?? "");
  const fresh = [...new Set(names)].filter((name) => !name.includes("*") && !node.children.has(name));
  return fresh.map((name) => [name, { description: "Accepted; has no effect in this version." }]);
}

function leafSchema(node: LeafNode): Json {
  const value = valueSchema(node);
  const common = {
    description: node.description,
    ...(node.default === undefined ? {} : { default: defaultValue(node) }),
  };
  if (!node.secret) return { ...common, ...value };
  const file = {
    type: "object",
    properties: { file: { type: "string" } },
    required: ["file"],
    additionalProperties: false,
  };
  return { ...common, anyOf: [value, file] };
}

function defaultValue(node: LeafNode): unknown {
  return node.type === "duration" ? showValue(node, node.default) : node.default;
}

const placeholder = { type: "string", pattern: "\\$\\{" };

function boundsSchema({ minimum, maximum }: LeafNode): Json {
  return { ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) };
}

function valueSchema(node: LeafNode): Json {
  const { minItems, maxLength } = node;
  switch (node.type) {
    case "text":
      return { type: "string", ...(maxLength === undefined ? {} : { maxLength }) };
    case "scalar":
      return { type: ["string", "number", "boolean"] };
    case "texts":
      return {
        anyOf: [
          { type: "string" },
          { type: "array", items: { type: "string" }, ...(minItems === undefined ? {} : { minItems }) },
        ],
      };
    case "structure":
      return { type: "object" };
    case "flag":
      return { anyOf: [{ type: "boolean" }, placeholder] };
    case "choice":
      return { anyOf: [{ enum: node.choices }, placeholder] };
    case "duration":
      return { type: ["string", "integer"], examples: ["5s", "1h30m"] };
    case "integer":
    case "number": {
      const bounds = boundsSchema(node);
      return { $comment: showType(node), anyOf: [{ type: node.type, ...bounds }, placeholder] };
    }
    default:
      return node.type satisfies never;
  }
}
