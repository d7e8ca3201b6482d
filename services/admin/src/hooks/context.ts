import { scriptPoolsFromConfig } from "@postern/shared/assembly/scripts";
import { lentScriptFunctions, scriptModule } from "@postern/shared/contracts";
import {
  createScriptRunner,
  type HostFunction,
  type HostFunctions,
  type PreparedScripts,
  toLuaValue,
} from "@postern/shared/domain/scripts";
import type { Bus } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import type { AdminParts } from "../admin-parts.ts";
import { hookFiles } from "./hook-table.ts";

/** The interpreters of custom hooks. */
export async function createHookScripts(config: Config, parts: AdminParts) {
  const { bus, logger, state: redis, passwords } = parts;
  const modules = engineScriptModules(bus);
  const makePool = scriptPoolsFromConfig(config, parts, redis, passwords);
  const make = (of: Config) => {
    const { auth } = of;
    return makePool(of, hookFiles(of), { workers: auth.backends.lua.backend.default.hook_number_of_workers, modules });
  };
  const runner = createScriptRunner(await make(config), config.runtime.timeouts.lua_script, (err) =>
    logger.warn({ err }, "replaced hooks could not be stopped"),
  );
  return {
    runner,
    /** Compiles the hooks of another configuration, which are then used or discarded. Throws `CONFIG_INVALID`. */
    prepare: async (next: Config): Promise<PreparedScripts> => {
      const pool = await make(next);
      return { use: () => runner.swap(pool), discard: async () => pool?.close() };
    },
    close: (): Promise<void> => runner.close(),
  };
}

/** `sql` and `ldap` in a service without backends: an engine runs them. */
function engineScriptModules(bus: Pick<Bus, "request">): HostFunctions {
  const lent = (name: (typeof lentScriptFunctions)[number]): HostFunction => {
    return async (args, { script, deadline, signal }) => {
      const reply = await bus.request(scriptModule, { script, function: name, args: [...args] }, { deadline, signal });
      if (reply.outcome === "error") throw new Error(reply.message);
      return toLuaValue(reply.value);
    };
  };
  return Object.fromEntries(lentScriptFunctions.map((name) => [name, lent(name)]));
}
