import type { Base } from "@postern/shared/assembly";
import { scriptPoolsFromConfig } from "@postern/shared/assembly/scripts";
import type { Bus } from "@postern/shared/bus";
import type { Config } from "@postern/shared/config";
import type { PasswordVerifier } from "@postern/shared/passwords";
import type { RedisClient } from "@postern/shared/redis";
import { createScriptRunner, lentModules, type PreparedScripts, type ScriptRunner } from "@postern/shared/scripts";

/** The interpreters of custom hooks. */
export interface HookScripts {
  readonly runner: ScriptRunner;
  /** Compiles another configuration's hooks, to be used or discarded. Throws `CONFIG_INVALID`. */
  prepare(config: Config): Promise<PreparedScripts>;
  close(): Promise<void>;
}

interface Parts extends Base {
  readonly bus: Bus;
  readonly state: RedisClient;
  readonly passwords: PasswordVerifier;
}

export async function createHookScripts(config: Config, parts: Parts): Promise<HookScripts> {
  const { bus, logger, state: redis, passwords } = parts;
  const modules = lentModules(bus);
  const makePool = scriptPoolsFromConfig(config, { base: parts, redis, passwords });
  const make = (of: Config) => {
    const { auth } = of;
    const files = auth.controls.lua.hooks.map(({ script_path: path }) => ({ path, entryPoints: ["hook"] }));
    return makePool(of, files, { workers: auth.backends.lua.backend.default.hook_number_of_workers, modules });
  };
  const runner = createScriptRunner({
    first: await make(config),
    lingerMs: config.runtime.timeouts.lua_script,
    onError: (err) => logger.warn({ err }, "ending replaced hooks failed"),
  });
  return {
    runner,
    prepare: async (next) => {
      const made = await make(next);
      return { use: () => runner.swap(made), discard: async () => made?.close() };
    },
    close: () => runner.close(),
  };
}
