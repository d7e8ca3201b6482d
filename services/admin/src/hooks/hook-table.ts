import type { ScriptFile } from "@postern/shared/domain/scripts";
import type { Config } from "@postern/shared/platform/config";

/** One custom hook as the site configured it. */
export interface Hook {
  readonly script: string;
  readonly contentType: string;
  readonly scopes: readonly string[];
  readonly isPublic: boolean;
  readonly isEnabled: boolean;
}

export interface HookTable {
  /** `runtime.servers.http.disabled_endpoints.custom_hooks` */
  readonly disabled: boolean;
  readonly timeoutMs: number;
  /** The key is method and location, such as `GET hello`. */
  readonly hooks: ReadonlyMap<string, Hook>;
}

export function hookTable({ auth, runtime }: Config): HookTable {
  const hooks = auth.controls.lua.hooks.map((hook): readonly [string, Hook] => [
    `${hook.http_method} ${hook.http_location}`,
    {
      script: hook.script_path,
      contentType: hook.content_type,
      scopes: hook.scopes,
      isPublic: hook.public,
      isEnabled: hook.enabled,
    },
  ]);
  return {
    disabled: runtime.servers.http.disabled_endpoints.custom_hooks,
    timeoutMs: runtime.timeouts.lua_script,
    hooks: new Map(hooks),
  };
}

/** The scripts of custom hooks, in the order of the configuration. */
export function hookFiles({ auth }: Config): readonly ScriptFile[] {
  return auth.controls.lua.hooks.map(({ script_path: path }) => ({ path, entryPoints: ["hook"] }));
}
