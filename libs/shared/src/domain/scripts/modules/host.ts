import type { Config } from "../../../platform/config/index.ts";
import { isLuaObject, type LuaObject, type LuaValue } from "../lua-value.ts";
import type { HostCallContext, ScriptHost } from "../messages.ts";

/** `auth.backends.lua.modules` */
export type LuaModules = Config["auth"]["backends"]["lua"]["modules"];

/** One function of a module. What it throws becomes an error in the script. */
export type HostFunction = (args: readonly LuaValue[], context: HostCallContext) => Promise<LuaValue>;
export type HostFunctions = Readonly<Record<string, HostFunction>>;

/** Joins modules; calling a function that none of them has is an error in the script. */
export function createScriptHost(...modules: readonly HostFunctions[]): ScriptHost {
  const all = new Map(modules.flatMap((module) => Object.entries(module)));
  return async (name, args, context) => {
    const run = all.get(name);
    if (run === undefined) throw new Error("is not configured in this service");
    return run(args, context);
  };
}

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
