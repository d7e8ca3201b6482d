import type { Base } from "@postern/shared/assembly";
import { scriptPoolsFromConfig } from "@postern/shared/assembly/scripts";
import type { PasswordVerifier } from "@postern/shared/domain/passwords";
import { createScriptRunner, type PreparedScripts, type ScriptRunner } from "@postern/shared/domain/scripts";
import type { Bus } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { engineScriptModules } from "../hooks/engine-script-modules.ts";
import { hookFiles } from "../hooks/hook-files.ts";

/** The interpreters of custom hooks. */
export interface HookScripts {
  readonly runner: ScriptRunner;
  /** Compiles the hooks of another configuration, which are then used or discarded. Throws `CONFIG_INVALID`. */
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
  const modules = engineScriptModules(bus);
  const makePool = scriptPoolsFromConfig(config, { base: parts, redis, passwords });
  const make = (of: Config) => {
    const { auth } = of;
    return makePool(of, hookFiles(of), { workers: auth.backends.lua.backend.default.hook_number_of_workers, modules });
  };
  const runner = createScriptRunner(await make(config), config.runtime.timeouts.lua_script, (err) =>
    logger.warn({ err }, "replaced hooks could not be stopped"),
  );
  return {
    runner,
    prepare: async (next) => {
      const pool = await make(next);
      return { use: () => runner.swap(pool), discard: async () => pool?.close() };
    },
    close: () => runner.close(),
  };
}
