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

const kindsOf = ({ anyOf = [], oneOf = [] }: SchemaNode): readonly unknown[] => [...anyOf, ...oneOf];

function plainType({ type, title, format }: SchemaNode): string {
  const name = [type ?? title ?? "any"].flat().join(" or ");
  return format === undefined ? name : `${name} (${format})`;
}

/** `string`, `list of integer`, `"asc" or "desc"` */
export function typeText(nodeOf: NodeOf, schema: unknown, depth = 0): string {
  const node = nodeOf(schema);
  const { type, enum: values, const: only, items, title } = node;
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" or ");
  if (only !== undefined) return JSON.stringify(only);
  if (depth >= maxDepth) return plainType(node);
  const kinds = kindsOf(node);
  if (kinds.length > 0) return [...new Set(kinds.map((one) => typeText(nodeOf, one, depth + 1)))].join(" or ");
  if (type === "array") return `list of ${typeText(nodeOf, items, depth + 1)}`;
  return type === "object" ? (title ?? "object") : plainType(node);
}

/** `1 to 500`, `at most 1024 characters`. Undefined without bounds. */
function rangeText(min: number | undefined, max: number | undefined, unit: string): string | undefined {
  if (min === undefined && max === undefined) return undefined;
  if (min !== undefined && max !== undefined) return `${min} to ${max}${unit}`;
  return max === undefined ? `at least ${min}${unit}` : `at most ${max}${unit}`;
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

function sampleObject(nodeOf: NodeOf, node: SchemaNode, depth: number): object {
  const { properties = {}, required = [] } = membersOf(nodeOf, node);
  const names = required.length > 0 ? required : Object.keys(properties);
  return Object.fromEntries(names.map((name) => [name, sampleOf(nodeOf, properties[name], depth + 1)]));
}

/** A value of the schema with what is required, or with everything if nothing is. */
export function sampleOf(nodeOf: NodeOf, schema: unknown, depth = 0): unknown {
  const node = nodeOf(schema);
  const { const: only, enum: values = [only], type = "object", items } = node;
  if (values[0] !== undefined) return values[0];
  const [name = "object"] = [type].flat();
  if (name in samples) return samples[name];
  if (name === "string") return sampleText(node);
  if (depth >= maxDepth) return name === "array" ? [] : {};
  const [kind] = kindsOf(node);
  if (kind !== undefined) return sampleOf(nodeOf, kind, depth + 1);
  return name === "array" ? [sampleOf(nodeOf, items, depth + 1)] : sampleObject(nodeOf, node, depth);
}
