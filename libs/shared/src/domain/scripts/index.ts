export { loadScripts, type ScriptFile, type ScriptFiles } from "./load-scripts.ts";
export { isLuaObject, type LuaObject, type LuaValue, toLuaValue } from "./lua-value.ts";
export type { HostCallContext, ScriptCall, ScriptHost, ScriptLogLine } from "./messages.ts";
export { cacheModule, scriptCacheDigest } from "./modules/cache-redis.ts";
export { dnsModule } from "./modules/dns.ts";
export {
  createScriptHost,
  type HostFunction,
  type HostFunctions,
  objectArgument,
  textArgument,
  textFields,
} from "./modules/host.ts";
export { httpModule } from "./modules/http.ts";
export { mailModule } from "./modules/mail.ts";
export { passwordModule } from "./modules/password.ts";
export { createScriptPool, type ScriptPool } from "./pool.ts";
export { type KeyedScript, scriptChecks } from "./preflight-checks.ts";
export { createScriptRunner, type PreparedScripts, type ScriptRunner } from "./script-runner.ts";
