import type { ScriptFile } from "@postern/shared/domain/scripts";
import type { Config } from "@postern/shared/platform/config";

/** The scripts of custom hooks, in the order of the configuration. */
export function hookFiles({ auth }: Config): readonly ScriptFile[] {
  return auth.controls.lua.hooks.map(({ script_path: path }) => ({ path, entryPoints: ["hook"] }));
}
