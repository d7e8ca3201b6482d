import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import { isJsonObject, type Json, type JsonObject, toJson } from "./json.ts";

export type Components = ReturnType<typeof createComponents>;

/** TypeBox writes draft-07 tuples; OpenAPI 3.1 uses JSON Schema 2020-12 (§8.4.1). */
function withPrefixItems(schema: JsonObject): JsonObject {
  const { items, additionalItems, ...rest } = schema;
  if (!Array.isArray(items)) return schema;
  return { ...rest, prefixItems: items, items: additionalItems ?? true };
}

/** Schemas with a title, each once; all others are inlined. */
export function createComponents() {
  const schemas = new Map<string, JsonObject>();

  function keep(title: string, schema: JsonObject): JsonObject {
    const known = schemas.get(title);
    if (known !== undefined && !isDeepStrictEqual(known, schema)) {
      throw new TypeError(`two schemas have the title ${title}`);
    }
    schemas.set(title, schema);
    return { $ref: `#/components/schemas/${title}` };
  }

  function hoist(value: Json): Json {
    if (Array.isArray(value)) return value.map(hoist);
    if (!isJsonObject(value)) return value;
    const { title, ...rest } = withPrefixItems(value);
    const inner = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, hoist(member)]));
    if (typeof title !== "string") return title === undefined ? inner : { ...inner, title: hoist(title) };
    return keep(title, inner);
  }

  return {
    schemas: (): JsonObject =>
      Object.fromEntries([...schemas].toSorted(([left], [right]) => left.localeCompare(right))),
    /** @throws TypeError when two different schemas have the same title. */
    reference: (schema: TSchema): JsonObject => {
      const json = hoist(toJson(schema));
      return isJsonObject(json) ? json : {};
    },
  };
}
