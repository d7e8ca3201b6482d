import { redisFromConfig } from "@postern/shared/assembly";
import { type MakeScriptPool, scriptPoolsFromConfig } from "@postern/shared/assembly/scripts";
import type { CacheFlushScriptReply, cacheFlushScript, Reply, Request, scriptModule } from "@postern/shared/contracts";
import type { PasswordVerifier } from "@postern/shared/domain/passwords";
import {
  createScriptRunner,
  type HostFunctions,
  type PreparedScripts,
  type ScriptPool,
  type ScriptRunner,
  scriptCacheDigest,
  toLuaValue,
} from "@postern/shared/domain/scripts";
import type { Config } from "@postern/shared/platform/config";
import { type AppError, fromUnknown, logFields } from "@postern/shared/platform/errors";
import { Replaceable } from "@postern/shared/platform/lifecycle";
import { steadyClock } from "@postern/shared/platform/time";
import type { Foundation } from "../foundation.ts";
import type { CallContext } from "../pipeline/attempt.ts";
import { CacheFlushResult, itemsOf, resultReader } from "./results.ts";
import { actionFiles, decisionFiles, type SiteScriptSettings } from "./script-settings.ts";
import { createSiteScripts, type SiteScriptsDeps } from "./site-scripts.ts";

/** Script functions that only an engine provides: the pools of its backends. */
export interface ScriptModules {
  readonly functions: HostFunctions;
  close(): Promise<void>;
}

interface Parts extends Pick<Foundation, "base" | "metrics" | "live"> {
  readonly passwords: PasswordVerifier;
  readonly makeModules: (config: Config) => ScriptModules;
}

const isUsed = (config: Config): boolean => decisionFiles(config).length > 0 || actionFiles(config).length > 0;

interface Generation {
  readonly decisions: ScriptPool | undefined;
  readonly actions: ScriptPool | undefined;
  /** Functions that hooks, which run in admin, may call here. */
  readonly lent: HostFunctions;
  /** Called when no script uses the shared resources any more. */
  release(): Promise<void>;
}

/** Calls `onClosed` after the pool was closed. */
function closingWith(pool: ScriptPool, onClosed: () => Promise<void>): ScriptPool {
  return {
    run: (call) => pool.run(call),
    load: () => pool.load(),
    close: async () => {
      await pool.close();
      await onClosed();
    },
  };
}

/** The interpreters of a configuration. Resources that scripts use are closed with the last interpreter. */
function generationMaker(
  makePool: MakeScriptPool,
  makeModules: Parts["makeModules"],
): (of: Config) => Promise<Generation> {
  return async (of) => {
    const modules = makeModules(of);
    const { functions } = modules;
    const { backend_number_of_workers, action_number_of_workers } = of.auth.backends.lua.backend.default;
    const decisionsOnly = await makePool(of, decisionFiles(of), {
      workers: backend_number_of_workers,
      modules: functions,
    });
    const actionsOnly = await makePool(of, actionFiles(of), {
      workers: action_number_of_workers,
      modules: functions,
    }).catch(async (error: unknown) => {
      await decisionsOnly?.close();
      await modules.close();
      throw error;
    });
    let open = [decisionsOnly, actionsOnly].filter((pool) => pool !== undefined).length + 1;
    const onClosed = async (): Promise<void> => {
      open -= 1;
      if (open === 0) await modules.close();
    };
    return {
      decisions: decisionsOnly && closingWith(decisionsOnly, onClosed),
      actions: actionsOnly && closingWith(actionsOnly, onClosed),
      lent: of.auth.controls.lua.hooks.length === 0 ? {} : functions,
      release: onClosed,
    };
  };
}

const readCacheFlush = resultReader(CacheFlushResult);

/**
 * The bus method `auth-engine.cache-flush-script`. Without a script, a name has no further names.
 *
 * @param runner the interpreters of actions, so that flushes and decisions do not wait for each other
 */
function createCacheFlushScript(
  settings: () => SiteScriptSettings,
  runner: Pick<ScriptRunner, "run">,
  observe: SiteScriptsDeps["observe"],
  onFailed: SiteScriptsDeps["onActionFailed"],
) {
  return async (
    { session, user }: Request<typeof cacheFlushScript>,
    { deadline }: Pick<CallContext, "deadline">,
  ): Promise<CacheFlushScriptReply> => {
    const { cacheFlush: script, actionTimeoutMs } = settings();
    if (script === undefined) return { accounts: [], cacheKeys: [] };
    const until = Math.min(deadline, steadyClock.now() + actionTimeoutMs);
    const call = { script, entry: "cache_flush", args: [{ session, user }], deadline: until, session };
    try {
      const { accounts, keys } = readCacheFlush(script, await runner.run(call));
      observe("cache_flush", "ok");
      return {
        accounts: [...itemsOf<string>(accounts)],
        cacheKeys: itemsOf<string>(keys).map((key) => scriptCacheDigest(key)),
      };
    } catch (thrown) {
      const error = fromUnknown(thrown);
      observe("cache_flush", "failed");
      onFailed(script, session, error);
      throw error;
    }
  };
}

/** The stages that are called from outside the interpreters. */
function stagesOf(
  { base: { logger }, metrics, live }: Parts,
  { decisions, actions }: { readonly decisions: ScriptRunner; readonly actions: ScriptRunner },
) {
  const settings = (): SiteScriptSettings => live.current.scripts;
  const { scriptRan: observe } = metrics;
  const failed = (what: string) => (script: string, session: string, err: AppError) =>
    logger.warn({ script, session, ...logFields(err) }, what);
  return {
    siteScripts: createSiteScripts({
      settings,
      decisions,
      actions,
      observe,
      onActionFailed: failed("an action failed"),
    }),
    runCacheFlushScript: createCacheFlushScript(settings, actions, observe, failed("the cache flush script failed")),
  };
}

/**
 * The bus method `auth-engine.script-module`. An exception of the function becomes an answer, which is an error in the
 * script.
 * @param functions functions that may be called now; empty if no script outside the engines is configured.
 */
function createCallScriptModule(functions: () => HostFunctions) {
  return async (
    { script, function: name, args }: Request<typeof scriptModule>,
    { deadline, signal }: CallContext,
  ): Promise<Reply<typeof scriptModule>> => {
    const run = functions()[name];
    if (run === undefined) return { outcome: "error", message: "is not configured in this engine" };
    try {
      const value = await run(
        args.map((arg) => toLuaValue(arg)),
        { script, deadline, signal },
      );
      return { outcome: "ok", value };
    } catch (error) {
      return { outcome: "error", message: error instanceof Error ? error.message : "failed" };
    }
  };
}

/**
 * The site's scripts in an engine: the interpreters of decisions, and separate ones for actions, which never delay
 * decisions.
 */
export async function createEngineScripts(config: Config, parts: Parts) {
  const { base, passwords, metrics, makeModules } = parts;
  const { logger } = base;
  const redis = isUsed(config) ? redisFromConfig(config, "cache", base) : undefined;
  const makePools = generationMaker(scriptPoolsFromConfig(config, base, redis, passwords), makeModules);
  const first = await makePools(config);
  const onError = (err: unknown): void => logger.warn({ err }, "replaced scripts could not be stopped");
  const { lua_backend, lua_script } = config.runtime.timeouts;
  const generations = new Replaceable(first, lua_script, (one) => one.release(), onError);
  const decisions = createScriptRunner(first.decisions, lua_backend, onError);
  const actions = createScriptRunner(first.actions, lua_script, onError);
  const begin = (of: Config): void => {
    for (const script of of.auth.backends.lua.backend.default.init_script_paths) {
      decisions.run({ script, entry: "start", args: [], deadline: steadyClock.now() + lua_script }).then(
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
    ...stagesOf(parts, { decisions, actions }),
    callScriptModule: createCallScriptModule(() => generations.current.lent),
    /**
     * Compiles another configuration's scripts, to be used or discarded. Throws `CONFIG_INVALID` and changes nothing if
     * they do not compile.
     */
    prepare: async (next: Config): Promise<PreparedScripts> => {
      const generation = await makePools(next);
      return {
        use: () => {
          generations.swap(generation);
          decisions.swap(generation.decisions);
          actions.swap(generation.actions);
          begin(next);
        },
        discard: async () => {
          await Promise.all([generation.decisions?.close(), generation.actions?.close(), generation.release()]);
        },
      };
    },
    close: async (): Promise<void> => {
      await Promise.all([decisions.close(), actions.close(), generations.close()]);
      redis?.disconnect();
    },
  };
}
