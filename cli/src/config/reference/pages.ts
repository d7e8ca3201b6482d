import { acceptedKeys, renamedKeys, schemaTree } from "@postern/shared/platform/config";
import {
  type LeafNode,
  type SchemaNode,
  type SectionNode,
  variablePart,
  variablePrefix,
} from "@postern/shared/platform/config/tree";
import { showType, showValue } from "../show-value.ts";

export interface Page {
  /** File name in docs/reference/configuration. */
  readonly name: string;
  readonly text: string;
}

const generated = "<!-- Made from the schema by tools/generate-config-docs.ts; do not edit. -->";

/** The reference: one page for each root, and one with the keys without effect. */
export function referencePages(): readonly Page[] {
  const roots = [...schemaTree.children];
  const pages = roots.map(([name, node]) => ({ name: `${name}.md`, text: rootPage(name, node) }));
  return [{ name: "README.md", text: overview(roots) }, ...pages, { name: "accepted-keys.md", text: acceptedPage() }];
}

function overview(roots: readonly (readonly [string, SchemaNode])[]): string {
  return page([
    "# Configuration",
    "",
    "One YAML file configures all services. This page describes the file and the environment variables that override it; the",
    "pages below list every key with its type, default, environment variable and meaning.",
    "",
    ...roots.map(([name, node]) => `- [\`${name}\`](${name}.md): ${codeMarks(node.description)}`),
    "- [Keys without effect](accepted-keys.md): keys that load without an error and change nothing.",
    "- [JSON Schema](schema.json): completion and validation in editors.",
    "",
    "Start from `config/minimal.yaml`. `config/example.yaml` contains every key with its default.",
    "",
    "## Set a value",
    "",
    "A service reads the file in `--config` or `SERVICE_CONFIG_FILE`. A value comes from the environment if its variable is",
    "set, otherwise from the file, otherwise from the default.",
    "",
    "```sh",
    "export SERVICE_CONFIG_FILE=/etc/postern/config.yaml",
    "export SERVICE_RUNTIME_TIMEOUTS_DECISION=3s                                # runtime.timeouts.decision",
    "export SERVICE_STORAGE_REDIS_ENCRYPTION_SECRET_FILE=/run/secrets/redis-key # a secret from a file",
    "postern config check",
    "```",
    "",
    "| Syntax | Meaning |",
    "|---|---|",
    "| `SERVICE_RUNTIME_TIMEOUTS_DECISION` | Variable of a key: `SERVICE_` and the path in upper case, with underscores for dots. Entries of lists and maps that the file contains are addressed by position or name |",
    "| `a,b,c` in a variable | List |",
    "| `SERVICE_…_FILE=/path` | Secret that is read from a file. One trailing newline is removed |",
    "| `{ file: /path }` | The same in the YAML file |",
    "| `${NAME}` in any string of the file | Value of the environment variable `NAME`, which must be set. Write `$${` for a literal `${` |",
    "| `250ms`, `5s`, `1h30m`, `7d` | Durations |",
    "| `x-anything:` at the top level | Definitions for YAML anchors. `<<` merges them |",
    "",
    "An unknown key is an error. Its message suggests the most similar known name.",
    "",
    "## Check a configuration",
    "",
    "`postern config check` reports all problems in one run. It also opens the certificates, scripts, templates, filters and queries that",
    "the configuration names, as the services do when they start.",
    "",
    "| Command | Purpose |",
    "|---|---|",
    "| `postern config check --config FILE` | Reports problems and warnings. The exit code is 1 if there are problems |",
    "| `… --no-secrets` | Does not open secrets, keys and certificates |",
    "| `… --no-files` | Opens no file except the configuration |",
    "| `… --strict` | Exits with 1 on warnings too |",
    "| `… --json` | Prints JSON |",
    "| `postern config explain PATH` | Shows the meaning of a key, its value and where the value comes from |",
    "| `postern config dump` | Shows the effective configuration with secrets masked |",
    "",
    "A service with an invalid configuration exits with code 78. It writes one JSON line with `key` and `reason` to standard error for each",
    "problem.",
    "",
    "## Apply a change",
    "",
    "The column *Reload* says when a changed value takes effect: `live` keys on a reload (SIGHUP), `restart` keys on the next start.",
  ]);
}

function rootPage(name: string, node: SchemaNode): string {
  if (node.kind !== "section") return page([`# \`${name}\``]);
  const title = `# \`${name}\``;
  const intro = [
    codeMarks(node.description),
    "For the syntax of values and environment variables, see [Configuration](README.md).",
  ];
  return page([title, "", ...intro, ...sectionTables(name, node)]);
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
  // A section that contains only sections has no keys to look up.
  if (node.kind === "section" && [...node.children.values()].every((child) => child.kind !== "leaf")) return tables;
  return ["", `## \`${inner}\``, "", codeMarks(node.description), ...tables];
}

function leafRow(path: string, name: string, node: LeafNode): string {
  const follows = node.defaultFrom === undefined ? "" : ` (follows \`${node.defaultFrom}\`)`;
  const value = node.default === undefined ? "required" : `\`${showValue(node, node.default)}\`${follows}`;
  const cells = [
    `\`${name}\``,
    showType(node),
    value,
    `\`${variableName(`${path}.${name}`)}\``,
    node.reload ?? "restart",
    node.secret ? "yes" : "",
    codeMarks(node.description),
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function variableName(path: string): string {
  const parts = path.replaceAll("[]", ".<n>").split(".");
  return parts
    .map((part) => (part.startsWith("<") ? part : variablePart(part)))
    .reduce((a, b) => `${a}_${b}`, variablePrefix);
}

/**
 * Adds code marks to keys, paths, headers and placeholders of a description, which is plain text for YAML comments and terminals.
 */
function codeMarks(text: string): string {
  return text
    .split(" ")
    .map((word) => {
      const [, before = "", core = "", after = ""] = /^([("]*)(.*?)([.,:;)"]*)$/u.exec(word) ?? [];
      return isCode.test(core) ? `${before}\`${core}\`${after}` : word;
    })
    .join(" ");
}

/** A word with `_`, a dotted name, a path, an address, a header, a parameter, a placeholder or an asterisk. */
const isCode =
  /^(?:[\w.[\]-]*[a-z0-9]_[\w.]+|[a-z]\w*(?:\.[\w*]+)+(?::\d+)?|\d+\.\d+\.\d+\.\d+[/:]?\d*|[a-z]+:\/\/\S*|\/\S+|:\w+|(?:Auth|X)-[\w-]+|%?\{\S+|\S*<\w+>\S*|\*)$/u;

function acceptedPage(): string {
  return page([
    "# Keys without effect",
    "",
    "The configuration files of Nauthilus load without changes. The keys in this list are accepted, have no effect in this",
    "version, and each cause one warning. In the list, `*` stands for one name and `**` for everything below.",
    "",
    ...acceptedKeys.toSorted().map((row) => `- \`${row}\``),
    "",
    "## Alternative names",
    "",
    "These names are accepted in place of the key, with a warning.",
    "",
    "| Name | Key |",
    "|---|---|",
    ...Object.entries(renamedKeys).map(([from, to]) => `| \`${from}\` | \`${to}\` |`),
  ]);
}

function page(lines: readonly string[]): string {
  return `${[generated, "", ...lines].join("\n")}\n`;
}
