import { type Base, scriptPoolsFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/config";
import type { PasswordVerifier } from "@postern/shared/passwords";
import type { RedisClient } from "@postern/shared/redis";
import { createScriptRunner, type ScriptRunner } from "@postern/shared/scripts";

/** The interpreters of custom hooks. */
export interface HookScripts {
  readonly runner: ScriptRunner;
  /** Compiles another configuration's hooks; what it resolves to puts them in use. Throws `CONFIG_INVALID`. */
  prepare(config: Config): Promise<() => void>;
  close(): Promise<void>;
}

interface Parts extends Base {
  readonly state: RedisClient;
  readonly passwords: PasswordVerifier;
}

export async function createHookScripts(config: Config, parts: Parts): Promise<HookScripts> {
  const { logger, state: redis, passwords } = parts;
  const makePool = scriptPoolsFromConfig(config, { base: parts, redis, passwords, databases: () => new Map() });
  const make = (of: Config) => {
    const { auth } = of;
    const files = auth.controls.lua.hooks.map(({ script_path: path }) => ({ path, entryPoints: ["hook"] }));
    return makePool(of, files, auth.backends.lua.backend.default.hook_number_of_workers);
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
      return () => runner.swap(made);
    },
    close: () => runner.close(),
  };
}
