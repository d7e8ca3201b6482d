/**
 * Values that pass between the host and a script. Text is UTF-8; a Lua string that is not valid UTF-8 becomes bytes. A table with the keys
 * 1 to n becomes a list; any other table, including the empty one, becomes an object.
 */
export type LuaValue = undefined | boolean | number | string | Uint8Array | readonly LuaValue[] | LuaObject;

export type LuaObject = { readonly [name: string]: LuaValue };

/** Limits of one value in either direction, so that a script cannot make the host copy without end. */
export const luaValueLimits = Object.freeze({ depth: 16, items: 20_000, bytes: 4 * 1024 * 1024 });

export function isLuaObject(value: LuaValue): value is LuaObject {
  return typeof value === "object" && !Array.isArray(value) && !(value instanceof Uint8Array);
}

/** Accepts what JSON can express; everything else becomes undefined. */
export function toLuaValue(value: unknown, depth = 0): LuaValue {
  if (typeof value === "boolean" || typeof value === "number" || typeof value === "string") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint8Array) return value;
  if (typeof value !== "object" || value === null || depth > luaValueLimits.depth) return undefined;
  if (Array.isArray(value)) return value.map((item) => toLuaValue(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toLuaValue(item, depth + 1)]));
}
