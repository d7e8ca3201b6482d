export { loadScripts, type ScriptFile } from "./load-scripts.ts";
export { isLuaObject, type LuaObject, type LuaValue, toLuaValue } from "./lua-value.ts";
export type { ScriptCall, ScriptHost, ScriptLogLine } from "./messages.ts";
export { scriptCacheDigest } from "./modules/cache-redis.ts";
export { type HostFunction, type HostFunctions, objectArgument, textArgument, textFields } from "./modules/host.ts";
export * from "./pool.ts";
export * from "./preflight-checks.ts";
