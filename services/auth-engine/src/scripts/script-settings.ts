import type { Config } from "@postern/shared/platform/config";
import type { SiteScriptSettings } from "./site-scripts.ts";

type DecisionScripts = Pick<Config["auth"]["controls"]["lua"], "environment" | "subject" | "actions">;

/** The scripts of the decision stages; none unless `auth.controls.enabled` lists `lua`. */
export function decisionScripts({ controls }: Config["auth"]): DecisionScripts {
  return controls.enabled.includes("lua") ? controls.lua : { environment: [], subject: [], actions: [] };
}

export function siteScripts({ auth, runtime }: Config): SiteScriptSettings {
  const { environment, subject, actions } = decisionScripts(auth);
  const { cache_flush_script_path: cacheFlush } = auth.backends.lua.backend.default;
  return {
    cacheFlush: cacheFlush === "" ? undefined : cacheFlush,
    environment: environment.map(({ name, script_path: path }) => ({ name, path })),
    subject: subject.map(({ name, script_path: path }) => ({ name, path })),
    actions: actions.map(({ name, type, script_path: path }) => ({ name, type, path })),
    decisionTimeoutMs: runtime.timeouts.lua_backend,
    actionTimeoutMs: runtime.timeouts.lua_script,
  };
}
