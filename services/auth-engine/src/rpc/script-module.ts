import type { Reply, Request, scriptModule } from "@postern/shared/contracts";
import { type HostFunctions, toLuaValue } from "@postern/shared/scripts";
import type { CallContext } from "./call-context.ts";

export interface ScriptModuleDeps {
  /** What may be called now; nothing while no script outside of engines is configured. */
  readonly functions: () => HostFunctions;
}

export type CallScriptModule = (
  request: Request<typeof scriptModule>,
  context: CallContext,
) => Promise<Reply<typeof scriptModule>>;

/** The bus method `auth-engine.script-module`. What the function throws is an answer: an error in the script. */
export function createCallScriptModule({ functions }: ScriptModuleDeps): CallScriptModule {
  return async ({ script, function: name, args }, { deadline, signal }) => {
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
