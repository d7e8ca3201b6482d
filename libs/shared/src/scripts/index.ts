export { isLuaObject, type LuaObject, type LuaValue, toLuaValue } from "./lua-value.ts";
export type { ScriptLogLine, ScriptSource } from "./messages.ts";
export { createScriptPool, type ScriptLimits, type ScriptPool, type ScriptPoolDeps, type ScriptSet } from "./pool.ts";
export type { HostCallContext, ScriptCall, ScriptHost } from "./script-call.ts";
