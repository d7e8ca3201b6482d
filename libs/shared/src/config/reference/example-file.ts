import { schemaTree } from "../tree/from-schema.ts";
import type { CollectionNode, LeafNode, SchemaNode, SectionNode } from "../tree/node.ts";
import { showType, showValue } from "./show-value.ts";

const head = [
  "# Every key with its default. Made from the schema by tools/generate-config-docs.ts; do not edit.",
  "# A key also takes SERVICE_<PATH> from the environment; a secret also SERVICE_<PATH>_FILE, or {file: /path} in here.",
  "",
];

/** A whole configuration file with every default; it loads, and means the same as an empty one. */
export function exampleFile(): string {
  const lines = [...schemaTree().children].flatMap(([name, node]) => nodeLines(name, node, ""));
  return `${[...head, ...lines].join("\n")}\n`;
}

function nodeLines(name: string, node: SchemaNode, indent: string): readonly string[] {
  if (node.kind === "leaf") return leafLines(name, node, indent);
  const title = `${indent}# ${node.description}`;
  if (node.kind !== "section") return [title, ...collectionLines(name, node, indent)];
  return [title, `${indent}${name}:${node.children.size === 0 ? " {}" : ""}`, ...sectionLines(node, `${indent}  `)];
}

function sectionLines(node: SectionNode, indent: string): readonly string[] {
  return [...node.children].flatMap(([name, child]) => nodeLines(name, child, indent));
}

/** A key that follows another one is shown as a comment: written down, it would no longer follow. */
function leafLines(name: string, node: LeafNode, indent: string): readonly string[] {
  const isShared = node.defaultFrom !== undefined;
  const value = showValue(node, node.default ?? node.example ?? "");
  const follows = isShared ? ` Follows ${node.defaultFrom}.` : "";
  return [
    `${indent}# ${node.description} (${showType(node)}${node.secret ? ", secret" : ""})${follows}`,
    `${indent}${isShared ? "# " : ""}${name}: ${value}`,
  ];
}

/** Lists and maps are empty by default; one entry is shown as a comment. */
function collectionLines(name: string, node: CollectionNode, indent: string): readonly string[] {
  const entry = sectionLines(node.entry, "    ").map((line) => `${indent}# ${line}`);
  const first = node.kind === "list" ? `${indent}#   -` : `${indent}#   some-name:`;
  return [`${indent}${name}: ${node.kind === "list" ? "[]" : "{}"}`, `${indent}# ${name}:`, first, ...entry];
}
