export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy as plain JSON, without the schema library's symbols. */
export function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value));
}
