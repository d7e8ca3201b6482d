import type { Reply, Request, scriptModule } from "@postern/shared/contracts";
import { type HostFunctions, toLuaValue } from "@postern/shared/domain/scripts";
import type { CallContext } from "../pipeline/attempt.ts";

/**
 * The bus method `auth-engine.script-module`. An exception of the function becomes an answer, which is an error in the
 * script.
 * @param functions functions that may be called now; empty if no script outside the engines is configured.
 */
export function createCallScriptModule(functions: () => HostFunctions) {
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
