import type { Config } from "@postern/shared/platform/config";

export function luaBackendSettings({ auth, runtime }: Config, name: string) {
  const { default: pool, search } = auth.backends.lua.backend;
  return {
    name,
    script: pool.backend_script_path,
    /** Protocols that the backend serves; an empty list or `*` means all. */
    protocols: search.flatMap(({ protocol }) => protocol),
    timeoutMs: runtime.timeouts.lua_backend,
    /** Whether the script stores second factors and app passwords. */
    keepsMfa: pool.mfa.enabled,
  };
}

export type LuaBackendSettings = Readonly<ReturnType<typeof luaBackendSettings>>;
