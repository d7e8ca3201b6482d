import type { NodeOf, SchemaNode } from "./document-reader.ts";

/** One member of a body or an answer. */
export interface SchemaRow {
  /** `bans[].network` */
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly text: string;
}

/** Members of members of members; deeper ones are in the document. */
const maxDepth = 3;
const maxRows = 120;

const listed = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(", ");

const kindsOf = ({ anyOf = [], oneOf = [] }: SchemaNode): readonly unknown[] => [...anyOf, ...oneOf];

/** `text`, `list of text`, `"asc" or "desc"` */
export function typeText(nodeOf: NodeOf, schema: unknown, depth = 0): string {
  const node = nodeOf(schema);
  const { type, enum: values, const: only, items, format, title } = node;
  if (values !== undefined) return listed(values);
  if (only !== undefined) return JSON.stringify(only);
  const kinds = kindsOf(node);
  if (kinds.length > 0 && depth < maxDepth)
    return [...new Set(kinds.map((one) => typeText(nodeOf, one, depth + 1)))].join(" or ");
  if (type === "array") return `list of ${depth < maxDepth ? typeText(nodeOf, items, depth + 1) : "values"}`;
  if (type === "object") return title ?? "object";
  const name = [type ?? title ?? "any"].flat().join(" or ");
  return format === undefined ? name : `${name} (${format})`;
}

/** `1 to 500`, `at most 1024 characters`. Undefined without bounds. */
function rangeText(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (least === undefined && most === undefined) return undefined;
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  return most === undefined ? `at least ${least}${unit}` : `at most ${most}${unit}`;
}

/** The description, and what limits the value. */
export function limitText(node: SchemaNode): string {
  const { description = "", minimum, maximum, minLength, maxLength, pattern, default: usual } = node;
  const limits = [
    rangeText(minimum, maximum, ""),
    rangeText(minLength, maxLength, " characters"),
    pattern === undefined ? undefined : `pattern \`${pattern}\``,
    usual === undefined ? undefined : `default \`${JSON.stringify(usual)}\``,
  ].filter((part) => part !== undefined);
  return limits.length === 0 ? description : `${description} (${limits.join("; ")})`.trim();
}

/** The schema whose members are those of the value: of its items for a list, of all parts for a combination. */
function membersOf(nodeOf: NodeOf, node: SchemaNode): Pick<SchemaNode, "properties" | "required"> {
  const parts = [...(node.allOf ?? []), ...kindsOf(node)].map(nodeOf);
  const [own, ...others] = [node, ...parts];
  return {
    properties: Object.assign({}, ...[own, ...others].map(({ properties = {} }) => properties)),
    required: [own, ...others].flatMap(({ required = [] }) => required),
  };
}

/** The members of a schema and of what they contain. */
export function schemaRows(nodeOf: NodeOf, schema: unknown): readonly SchemaRow[] {
  const rows: SchemaRow[] = [];
  const walk = (value: unknown, path: string, depth: number): void => {
    const node = nodeOf(value);
    if (node.type === "array") {
      walk(node.items, `${path}[]`, depth);
      return;
    }
    const { properties = {}, required = [] } = membersOf(nodeOf, node);
    for (const [name, member] of Object.entries(properties)) {
      if (rows.length >= maxRows) return;
      const full = path === "" ? name : `${path}.${name}`;
      const text = limitText(nodeOf(member));
      rows.push({ name: full, type: typeText(nodeOf, member), isRequired: required.includes(name), text });
      if (depth < maxDepth) walk(member, full, depth + 1);
    }
  };
  walk(schema, "", 1);
  return rows;
}

const samples: Readonly<Record<string, unknown>> = { integer: 1, number: 1, boolean: true, null: null };

function sampleText({ format, minLength = 0 }: SchemaNode): string {
  if (format === "date-time") return "2030-05-06T13:50:00Z";
  return "text".padEnd(minLength, "x").slice(0, 64);
}

/** A value of the schema with what is required, or with everything if nothing is. */
export function sampleOf(nodeOf: NodeOf, schema: unknown, depth = 0): unknown {
  const node = nodeOf(schema);
  const [first] = [...kindsOf(node)];
  if (node.const !== undefined) return node.const;
  if (node.enum !== undefined) return node.enum[0];
  if (first !== undefined && depth < maxDepth) return sampleOf(nodeOf, first, depth + 1);
  const type = [node.type ?? "object"].flat()[0] ?? "object";
  if (type === "array") return depth < maxDepth ? [sampleOf(nodeOf, node.items, depth + 1)] : [];
  if (type !== "object") return type in samples ? samples[type] : sampleText(node);
  const { properties = {}, required = [] } = membersOf(nodeOf, node);
  const names = required.length > 0 ? required : Object.keys(properties);
  if (depth >= maxDepth) return {};
  return Object.fromEntries(names.map((name) => [name, sampleOf(nodeOf, properties[name], depth + 1)]));
}
