import { schemaTree } from "@postern/shared/platform/config";
import type { CollectionNode, LeafNode, SchemaNode, SectionNode } from "@postern/shared/platform/config/tree";
import { showType, showValue } from "../show-value.ts";

const head = [
  "# Every key with its default. Made from the schema by tools/generate-config-docs.ts; do not edit.",
  "# The environment variable SERVICE_<PATH> overrides a key. A secret may also be read from a file: SERVICE_<PATH>_FILE, or",
  "# {file: /path} in this file. The defaults are not a recommendation: brute-force protection is off. A site starts from",
  "# config/minimal.yaml.",
  "",
];

/** A whole configuration file with every default; it loads, and means the same as an empty one. */
export function exampleFile(): string {
  const lines = [...schemaTree.children].flatMap(([name, node]) => nodeLines(name, node, ""));
  return `${[...head, ...lines].join("\n")}\n`;
}

function nodeLines(name: string, node: SchemaNode, indent: string): readonly string[] {
  if (node.kind === "leaf") return leafLines(name, node, indent);
  const title = comment(node.description, indent);
  if (node.kind !== "section") return [...title, ...collectionLines(name, node, indent)];
  return [...title, `${indent}${name}:${node.children.size === 0 ? " {}" : ""}`, ...sectionLines(node, `${indent}  `)];
}

function sectionLines(node: SectionNode, indent: string): readonly string[] {
  return [...node.children].flatMap(([name, child]) => nodeLines(name, child, indent));
}

/** A key that follows another one is commented out: if it were set, it would no longer follow. */
function leafLines(name: string, node: LeafNode, indent: string): readonly string[] {
  const isShared = node.defaultFrom !== undefined;
  const value = showValue(node, node.default ?? node.example ?? "");
  const follows = isShared ? ` Follows ${node.defaultFrom}.` : "";
  return [
    ...comment(`${node.description} (${showType(node)}${node.secret ? ", secret" : ""})${follows}`, indent),
    `${indent}${isShared ? "# " : ""}${name}: ${value}`,
  ];
}

/** Lists and maps are empty by default; one entry is shown as a comment. */
function collectionLines(name: string, node: CollectionNode, indent: string): readonly string[] {
  const entry = sectionLines(node.entry, "    ").map((line) => `${indent}# ${line}`);
  const first = node.kind === "list" ? `${indent}#   -` : `${indent}#   some-name:`;
  return [`${indent}${name}: ${node.kind === "list" ? "[]" : "{}"}`, `${indent}# ${name}:`, first, ...entry];
}

const widestLine = 120;

/** Comment lines that do not grow wider than a page, where words allow it. */
function comment(text: string, indent: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= widestLine) lines.push(`${indent}# ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
