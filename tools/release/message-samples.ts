/** A part of JSON Schema, as the bus contracts use it. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

/** Words that match the patterns of the contracts; a new pattern needs a line. */
const words: Readonly<Record<string, string>> = {
  "^[A-Za-z0-9_-]{43}$": "A".repeat(43),
  "^[0-9a-f]{16}$": "0123456789abcdef",
  "^[0-9A-Za-z-]+$": "a-1",
};

function strings({ pattern, minLength = 0, maxLength = minLength + 1 }: Schema): readonly string[] {
  if (pattern === undefined) return ["x".repeat(maxLength), "x".repeat(minLength)];
  const word = words[pattern];
  if (word === undefined) throw new Error(`tools/release/message-samples.ts knows no word for ${pattern}`);
  return [word];
}

function arrays({ items = {}, minItems = 0, maxItems = minItems + 2 }: Schema): readonly unknown[] {
  const [first, ...others] = samplesOf(items);
  const longest = Array.from({ length: maxItems }, () => first);
  const shortest = Array.from({ length: minItems }, () => first);
  return [longest, shortest, ...(maxItems === 0 ? [] : others.map((other) => [other, ...shortest.slice(1)]))];
}

/** All members; only the required ones; and each other value of each member. */
function objects({ properties = {}, required = [], patternProperties = {} }: Schema): readonly unknown[] {
  const members = Object.entries(properties).map(([name, schema]) => [name, samplesOf(schema)] as const);
  const free = Object.values(patternProperties).map((schema) => ["key", samplesOf(schema)] as const);
  const all = [...members, ...free];
  const whole = Object.fromEntries(all.map(([name, [first]]) => [name, first]));
  const least = Object.fromEntries(Object.entries(whole).filter(([name]) => required.includes(name)));
  const varied = all.flatMap(([name, [, ...others]]) => others.map((value) => ({ ...whole, [name]: value })));
  return [whole, least, ...varied];
}

function numbers({ type, minimum = 0, maximum = minimum + 1 }: Schema): readonly number[] {
  return type === "integer" ? [maximum, minimum] : [maximum, minimum, (minimum + maximum) / 2];
}

const byType: Readonly<Record<string, (schema: Schema) => readonly unknown[]>> = {
  string: strings,
  integer: numbers,
  number: numbers,
  boolean: () => [true, false],
  null: () => [null],
  array: arrays,
  object: objects,
};

/**
 * Values that reach the limits of a schema: the largest first, then the smallest, each alternative and each value of an enumeration at least
 * once. A schema that rejects one of them is narrower.
 */
export function samplesOf(schema: Schema): readonly unknown[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(samplesOf);
  if (schema.enum !== undefined) return schema.enum;
  if ("const" in schema) return [schema.const];
  if (schema.type === undefined) return ["any value"];
  const samples = byType[schema.type];
  if (samples === undefined) throw new Error(`tools/release/message-samples.ts does not know the type ${schema.type}`);
  return samples(schema);
}
