import type { LuaValue } from "../lua-value.ts";
import type { HostCallContext, ScriptHost } from "../script-call.ts";

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
