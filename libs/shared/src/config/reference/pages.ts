import { acceptedKeys } from "../accepted-keys.ts";
import { renamedKeys } from "../renamed-keys.ts";
import { schemaTree } from "../tree/from-schema.ts";
import type { LeafNode, SchemaNode, SectionNode } from "../tree/node.ts";
import { environmentName } from "../tree/path.ts";
import { showType, showValue } from "./show-value.ts";

export interface Page {
  /** File name in docs/configuration. */
  readonly name: string;
  readonly text: string;
}

const generated = "<!-- Made from the schema by tools/generate-config-docs.ts; do not edit. -->";

/** The reference: one page a root, and one with what is accepted without effect. */
export function referencePages(): readonly Page[] {
  const roots = [...schemaTree().children];
  const pages = roots.map(([name, node]) => ({ name: `${name}.md`, text: rootPage(name, node) }));
  return [{ name: "README.md", text: overview(roots) }, ...pages, { name: "accepted-keys.md", text: acceptedPage() }];
}

function overview(roots: readonly (readonly [string, SchemaNode])[]): string {
  return page([
    "# Configuration",
    "",
    "One YAML file configures all services. It is found by `--config` or `SERVICE_CONFIG_FILE`; each value comes from the",
    "first of environment, file and default that has it.",
    "",
    ...roots.map(([name, node]) => `- [\`${name}\`](${name}.md): ${node.description}`),
    "- [Keys that are accepted and have no effect](accepted-keys.md)",
    "- [JSON Schema for editors](schema.json)",
    "",
    "| What | How |",
    "|---|---|",
    "| Environment | `SERVICE_` and the path in upper case, dots as underscores; lists are separated by commas; entries of lists and maps that the file has are reached by position or name |",
    "| Secrets | also from a file: `SERVICE_…_FILE=/path`, or `{file: /path}` in the file; one newline at the end is cut |",
    "| `${NAME}` | in every text of the file: the variable of that name, which must exist; `$${` stands for `${` |",
    "| Durations | `250ms`, `5s`, `1h30m`, `7d` |",
    "| Anchors | roots that begin with `x-` may hold them; `<<` merges |",
    "| Unknown keys | refused, with the nearest name |",
    "",
    "`postern config check` tells all problems at once, `dump` shows what is in effect, `explain PATH` tells where a value",
    "comes from. A `live` key is applied by a reload (SIGHUP); any other waits for a restart.",
  ]);
}

function rootPage(name: string, node: SchemaNode): string {
  if (node.kind !== "section") return page([`# ${name}`]);
  return page([`# \`${name}\``, "", node.description, ...sectionTables(name, node)]);
}

function sectionTables(path: string, node: SectionNode): readonly string[] {
  const children = [...node.children];
  const leaves = children.flatMap(([name, child]) => (child.kind === "leaf" ? [leafRow(path, name, child)] : []));
  const below = children.flatMap(([name, child]) => innerTables(`${path}.${name}`, child));
  return leaves.length === 0 ? below : [...tableHead, ...leaves, ...below];
}

const tableHead = [
  "",
  "| Key | Type | Default | Environment | Reload | Secret | Description |",
  "|---|---|---|---|---|---|---|",
];

function innerTables(path: string, node: SchemaNode): readonly string[] {
  if (node.kind === "leaf") return [];
  const inner = node.kind === "list" ? `${path}[]` : node.kind === "map" ? `${path}.<name>` : path;
  const tables = sectionTables(inner, node.kind === "section" ? node : node.entry);
  return ["", `## \`${inner}\``, "", node.description, ...tables];
}

function leafRow(path: string, name: string, node: LeafNode): string {
  const follows = node.defaultFrom === undefined ? "" : ` (follows \`${node.defaultFrom}\`)`;
  const value = node.default === undefined ? "required" : `\`${showValue(node, node.default)}\`${follows}`;
  const cells = [
    `\`${name}\``,
    showType(node),
    value,
    `\`${variableName(`${path}.${name}`)}\``,
    node.reload,
    node.secret ? "yes" : "",
    node.description,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function variableName(path: string): string {
  const parts = path.replaceAll("[]", ".<n>").split(".");
  return parts
    .map((part) => (part.startsWith("<") ? part : environmentName([], part)))
    .reduce((a, b) => `${a}_${b}`, "SERVICE");
}

function acceptedPage(): string {
  return page([
    "# Accepted keys without effect",
    "",
    "Files of a compatible product load. These keys of theirs have no effect in this version; each is warned about once.",
    "`*` stands for one name, `**` for everything below.",
    "",
    ...acceptedKeys.toSorted().map((row) => `- \`${row}\``),
    "",
    "Other names of keys that exist here:",
    "",
    "| Name | Key |",
    "|---|---|",
    ...Object.entries(renamedKeys).map(([from, to]) => `| \`${from}\` | \`${to}\` |`),
  ]);
}

function page(lines: readonly string[]): string {
  return `${[generated, "", ...lines].join("\n")}\n`;
}
