import { scriptChecks } from "@postern/shared/domain/scripts";
import { commonChecks, type Preflight } from "@postern/shared/platform/preflight";
import { hookFiles } from "./hooks/hook-table.ts";

/** What admin opens and compiles from its configuration. */
export const preflight: Preflight = (config) => {
  const hooks = hookFiles(config).map((file, index) => ({
    key: `auth.controls.lua.hooks[${index}].script_path`,
    file,
  }));
  return [...commonChecks(config), ...scriptChecks(config, hooks)];
};
