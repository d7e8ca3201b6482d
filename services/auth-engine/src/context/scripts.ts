import { type Base, redisFromConfig, scriptPoolsFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/config";
import { logFields } from "@postern/shared/errors";
import type { PasswordVerifier } from "@postern/shared/passwords";
import { createScriptRunner, type ScriptDatabase, type ScriptFile, type ScriptRunner } from "@postern/shared/scripts";
import { systemClock } from "@postern/shared/time";
import { createSqliteClient } from "../directories/sql/sqlite-client.ts";
import type { EngineMetrics } from "../metrics.ts";
import { decisionScripts } from "../scripts/script-settings.ts";
import { createSiteScripts, type SiteScriptSettings, type SiteScripts } from "../scripts/site-scripts.ts";

/** The site's scripts in an engine: the interpreters of decisions, and those of actions, which never delay them. */
export interface EngineScripts {
  readonly siteScripts: SiteScripts;
  readonly decisions: ScriptRunner;
  /**
   * Compiles another configuration's scripts; what it resolves to puts them in the place of those in use. Throws
   * `CONFIG_INVALID` when they do not compile, and nothing changes.
   */
  prepare(config: Config): Promise<() => void>;
  close(): Promise<void>;
}

interface Parts {
  readonly base: Base;
  readonly passwords: PasswordVerifier;
  readonly metrics: EngineMetrics;
  readonly settings: () => SiteScriptSettings;
}

function decisionFiles({ auth }: Config): readonly ScriptFile[] {
  const { backend_script_path: backend, init_script_paths: inits } = auth.backends.lua.backend.default;
  const { environment, subject } = decisionScripts(auth);
  return [
    ...(backend === "" ? [] : [{ path: backend, entryPoints: ["verify_password", "lookup"] }]),
    ...inits.map((path) => ({ path, entryPoints: ["start"] })),
    ...environment.map(({ script_path: path }) => ({ path, entryPoints: ["environment"] })),
    ...subject.map(({ script_path: path }) => ({ path, entryPoints: ["subject"] })),
  ];
}

function actionFiles({ auth }: Config): readonly ScriptFile[] {
  return decisionScripts(auth).actions.map(({ script_path: path }) => ({ path, entryPoints: ["action"] }));
}

const isUsed = (config: Config): boolean => decisionFiles(config).length > 0 || actionFiles(config).length > 0;

/** The pool `default` of `auth.backends.sql`, in a connection of its own, opened with the first query. */
function databasesOf(config: Config): ReadonlyMap<string, ScriptDatabase> {
  const { file, busy_timeout: busyTimeoutMs } = config.auth.backends.sql.default;
  return file === "" ? new Map() : new Map([["default", createSqliteClient({ file, busyTimeoutMs })]]);
}

export async function createEngineScripts(config: Config, parts: Parts): Promise<EngineScripts> {
  const { base, passwords, metrics, settings } = parts;
  const { logger } = base;
  const redis = isUsed(config) ? redisFromConfig(config, "cache", base) : undefined;
  const databases = databasesOf(config);
  const makePool = scriptPoolsFromConfig(config, { base, redis, passwords, databases: () => databases });
  const makePools = async (of: Config) => {
    const { backend_number_of_workers, action_number_of_workers } = of.auth.backends.lua.backend.default;
    const decisions = await makePool(of, decisionFiles(of), backend_number_of_workers);
    const actions = await makePool(of, actionFiles(of), action_number_of_workers).catch(async (error: unknown) => {
      await decisions?.close();
      throw error;
    });
    return { decisions, actions };
  };
  const first = await makePools(config);
  const onError = (err: unknown): void => logger.warn({ err }, "ending replaced scripts failed");
  const { lua_backend, lua_script } = config.runtime.timeouts;
  const decisions = createScriptRunner({ first: first.decisions, lingerMs: lua_backend, onError });
  const actions = createScriptRunner({ first: first.actions, lingerMs: lua_script, onError });
  const begin = (of: Config): void => {
    for (const script of of.auth.backends.lua.backend.default.init_script_paths) {
      decisions.run({ script, entry: "start", args: [], deadline: systemClock.now() + lua_script }).then(
        () => metrics.scriptRan("start", "ok"),
        (err: unknown) => {
          metrics.scriptRan("start", "failed");
          logger.error({ script, err }, "a start script failed");
        },
      );
    }
  };
  begin(config);
  return {
    decisions,
    siteScripts: createSiteScripts({
      settings,
      decisions,
      actions,
      observe: (stage, result) => metrics.scriptRan(stage, result),
      onActionFailed: (script, session, err) => logger.warn({ script, session, ...logFields(err) }, "an action failed"),
    }),
    prepare: async (next) => {
      const made = await makePools(next);
      return () => {
        decisions.swap(made.decisions);
        actions.swap(made.actions);
        begin(next);
      };
    },
    close: async () => {
      await Promise.all([decisions.close(), actions.close(), ...[...databases.values()].map((one) => one.close())]);
      redis?.disconnect();
    },
  };
}
