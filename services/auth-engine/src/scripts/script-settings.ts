import type { KeyedScript, ScriptFile } from "@postern/shared/domain/scripts";
import type { Config } from "@postern/shared/platform/config";

type DecisionScripts = Pick<Config["auth"]["controls"]["lua"], "environment" | "subject" | "actions">;

/** The scripts of the decision stages; none unless `auth.controls.enabled` lists `lua`. */
function decisionScripts({ controls }: Config["auth"]): DecisionScripts {
  return controls.enabled.includes("lua") ? controls.lua : { environment: [], subject: [], actions: [] };
}

/** The scripts that run before and after a decision; a reload replaces all of them together. */
export function siteScripts({ auth, runtime }: Config) {
  const { environment, subject, actions } = decisionScripts(auth);
  const { cache_flush_script_path: cacheFlush } = auth.backends.lua.backend.default;
  return {
    /** File of the script that knows further names of a flushed account. */
    cacheFlush: cacheFlush === "" ? undefined : cacheFlush,
    environment: environment.map(({ name, script_path: path }) => ({ name, path })),
    subject: subject.map(({ name, script_path: path }) => ({ name, path })),
    actions: actions.map(({ name, type, script_path: path }) => ({ name, type, path })),
    decisionTimeoutMs: runtime.timeouts.lua_backend,
    actionTimeoutMs: runtime.timeouts.lua_script,
  };
}

export type SiteScriptSettings = ReturnType<typeof siteScripts>;

const pool = "auth.backends.lua.backend.default";
const controls = "auth.controls.lua";

function backendEntries({ backends }: Config["auth"]): readonly string[] {
  const entries = ["verify_password", "lookup"];
  return backends.lua.backend.default.mfa.enabled ? [...entries, "mfa_account", "mfa_read"] : entries;
}

function at(key: string, path: string, ...entryPoints: readonly string[]): KeyedScript {
  return { key, file: { path, entryPoints } };
}

/** Scripts that decide, with the keys of their paths. */
export function keyedDecisionScripts({ auth }: Config): readonly KeyedScript[] {
  const { kind, script_path: domainScript } = auth.domains.source;
  const { backend_script_path: backend, init_script_paths: inits } = auth.backends.lua.backend.default;
  const { environment, subject } = decisionScripts(auth);
  return [
    ...(backend === "" ? [] : [at(`${pool}.backend_script_path`, backend, ...backendEntries(auth))]),
    ...(kind === "lua" ? [at("auth.domains.source.script_path", domainScript, "domain")] : []),
    ...inits.map((path, index) => at(`${pool}.init_script_paths[${index}]`, path, "start")),
    ...environment.map(({ script_path }, index) =>
      at(`${controls}.environment[${index}].script_path`, script_path, "environment"),
    ),
    ...subject.map(({ script_path }, index) => at(`${controls}.subject[${index}].script_path`, script_path, "subject")),
  ];
}

/** Scripts that run after the answer, with the keys of their paths. */
export function keyedActionScripts({ auth }: Config): readonly KeyedScript[] {
  const { cache_flush_script_path: flush } = auth.backends.lua.backend.default;
  const actions = decisionScripts(auth).actions.map(({ script_path }, index) =>
    at(`${controls}.actions[${index}].script_path`, script_path, "action"),
  );
  return flush === "" ? actions : [...actions, at(`${pool}.cache_flush_script_path`, flush, "cache_flush")];
}

const filesOf = (scripts: readonly KeyedScript[]): readonly ScriptFile[] => scripts.map(({ file }) => file);

export const decisionFiles = (config: Config): readonly ScriptFile[] => filesOf(keyedDecisionScripts(config));

export const actionFiles = (config: Config): readonly ScriptFile[] => filesOf(keyedActionScripts(config));
