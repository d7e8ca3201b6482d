/** The members of a TypeBox error that are used here. */
export interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
}

type Node = Readonly<Record<string, unknown>>;

function nodeOf(value: unknown): Node {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

interface Position {
  /** Names from the schema and positions in lists; never a name that the sender chose. */
  readonly names: readonly string[];
  readonly node: Node;
}

/** Follows the error's path down the schema; stops where the schema has no such name. */
function placeOf(schema: unknown, path: string): Position {
  const names: string[] = [];
  let node = nodeOf(schema);
  for (const part of path.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const member = Object.hasOwn(nodeOf(node["properties"]), name) ? nodeOf(node["properties"])[name] : undefined;
    if (member !== undefined) {
      names.push(name);
      node = nodeOf(member);
    } else if (node["items"] !== undefined && /^\d{1,6}$/.test(name)) {
      names.push(String(Number(name) + 1));
      node = nodeOf(node["items"]);
    } else {
      return { names, node: {} };
    }
  }
  return { names, node };
}

function range(node: Node, low: string, high: string): string {
  const [from, to] = [node[low], node[high]];
  if (typeof from === "number" && typeof to === "number") return from === to ? `${from}` : `${from} to ${to}`;
  if (typeof from === "number") return `at least ${from}`;
  return typeof to === "number" ? `at most ${to}` : "";
}

/**
 * Wording for the patterns of the schemas; other patterns are quoted. A schema's description would say more than what is wrong.
 */
const patterns: Readonly<Record<string, { readonly whole?: string; readonly form?: string }>> = {
  "^[0-9]+$": { whole: "must be a whole number" },
  "^\\d{1,9}$": { whole: "must be a whole number of at most 9 digits" },
  "^[^*?]+$": { form: ", without * and ?" },
};

function textRule(node: Node): string {
  const length = range(node, "minLength", "maxLength");
  const pattern = typeof node["pattern"] === "string" ? node["pattern"] : undefined;
  const { whole, form = pattern === undefined ? "" : `, matching ${pattern}` } = patterns[pattern ?? ""] ?? {};
  return whole ?? `must be a string${length === "" ? "" : ` of ${length} characters`}${form}`;
}

function choices(node: Node): string | undefined {
  const all = Array.isArray(node["anyOf"]) ? node["anyOf"].map((one) => nodeOf(one)["const"]) : [node["const"]];
  return all.every((one) => one !== undefined)
    ? `must be ${all.map((one) => JSON.stringify(one)).join(" or ")}`
    : undefined;
}

const simple: Readonly<Record<string, string>> = {
  object: "must be a JSON object",
  boolean: "must be true or false",
  null: "must be null",
};

function ruleOf(node: Node): string {
  const type = String(node["type"]);
  if (type === "string" && node["const"] === undefined) return textRule(node);
  if (type === "integer" || type === "number") {
    const bounds = range(node, "minimum", "maximum");
    return `must be ${type === "integer" ? "a whole number" : "a number"}${bounds === "" ? "" : `, ${bounds}`}`;
  }
  if (type === "array") {
    const count = range(node, "minItems", "maxItems");
    return `must be a list${count === "" ? "" : ` of ${count} entries`}`;
  }
  return choices(node) ?? simple[type] ?? "does not match the API schema";
}

/** Required members that are missing; the library reports only names from the schema. */
function missingIn(error: SchemaError): readonly string[] {
  const params = nodeOf(Reflect.get(error, "params"));
  const names = params["requiredProperties"];
  return Array.isArray(names) ? names.map(String) : [];
}

/**
 * Describes which field violates which rule: `user: must be a string of 1 to 1024 characters, without * and ?`. The text contains neither the
 * value nor a name that the sender chose, because either may be a secret.
 */
export function explainDifference(schema: unknown, error: SchemaError | undefined, whole = "the body"): string {
  if (error === undefined) return `${whole}: does not match the API schema`;
  const { names, node } = placeOf(schema, error.instancePath);
  if (error.keyword === "required") {
    return missingIn(error)
      .map((name) => `${[...names, name].join(".")}: is missing`)
      .join(", ");
  }
  const unknownMember = error.keyword === "boolean" || error.keyword === "additionalProperties";
  const rule = unknownMember ? "has an unknown field" : ruleOf(node);
  return `${names.length === 0 ? whole : names.join(".")}: ${rule}`;
}
