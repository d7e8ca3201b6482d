import { isLuaObject, type LuaObject, type LuaValue } from "../lua-value.ts";

export function textArgument(value: LuaValue, name: string): string {
  if (typeof value === "string") return value;
  throw new TypeError(`${name} must be a string`);
}

export function objectArgument(value: LuaValue, name: string): LuaObject {
  if (isLuaObject(value)) return value;
  throw new TypeError(`${name} must be a table`);
}

/** Text fields of a table; an empty table or nil has none. */
export function textFields(value: LuaValue, name: string): Record<string, string> {
  if (value === undefined) return {};
  const entries = Object.entries(objectArgument(value, name));
  return Object.fromEntries(
    entries.map(([field, item]) => {
      if (typeof item === "string" || typeof item === "number") return [field, String(item)];
      throw new TypeError(`${name}.${field} must be a string`);
    }),
  );
}
