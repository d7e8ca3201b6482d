export { loadScripts, type ScriptFile, type ScriptFiles } from "./load-scripts.ts";
export { isLuaObject, type LuaObject, type LuaValue, toLuaValue } from "./lua-value.ts";
export type { ScriptLogLine } from "./messages.ts";
export { objectArgument, textArgument, textFields } from "./modules/arguments.ts";
export { cacheModule, scriptCacheDigest } from "./modules/cache-redis.ts";
export { dnsModule } from "./modules/dns.ts";
export { createScriptHost, type HostFunction, type HostFunctions } from "./modules/host.ts";
export { httpModule } from "./modules/http.ts";
export { mailModule } from "./modules/mail.ts";
export { passwordModule } from "./modules/password.ts";
export {
  createScriptPool,
  createScriptRunner,
  type PreparedScripts,
  type ScriptLimits,
  type ScriptPool,
  type ScriptRunner,
} from "./pool.ts";
export { type KeyedScript, scriptChecks } from "./preflight-checks.ts";
export type { HostCallContext, ScriptCall, ScriptHost } from "./script-call.ts";
