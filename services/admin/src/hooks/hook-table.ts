import type { ScriptFile } from "@postern/shared/domain/scripts";
import type { Config } from "@postern/shared/platform/config";

/** Custom hooks as the site configured them. */
export function hookTable({ auth, runtime }: Config) {
  const hooks = auth.controls.lua.hooks.map((hook) => {
    const { http_method, http_location, script_path, content_type, scopes } = hook;
    const { public: isPublic, enabled: isEnabled } = hook;
    const shown = { script: script_path, contentType: content_type, scopes, isPublic, isEnabled };
    const key: string = `${http_method} ${http_location}`;
    return [key, shown] as const;
  });
  return {
    disabled: runtime.servers.http.disabled_endpoints.custom_hooks,
    timeoutMs: runtime.timeouts.lua_script,
    /** The key is method and location, such as `GET hello`. */
    hooks: new Map(hooks),
  };
}

export type Hook = NonNullable<ReturnType<ReturnType<typeof hookTable>["hooks"]["get"]>>;

/** The scripts of custom hooks, in the order of the configuration. */
export function hookFiles({ auth }: Config): readonly ScriptFile[] {
  return auth.controls.lua.hooks.map(({ script_path: path }) => ({ path, entryPoints: ["hook"] }));
}
