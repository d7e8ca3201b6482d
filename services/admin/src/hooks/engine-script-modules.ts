import { lentScriptFunctions, scriptModule } from "@postern/shared/contracts";
import { type HostFunction, type HostFunctions, toLuaValue } from "@postern/shared/domain/scripts";
import type { Bus } from "@postern/shared/platform/bus";

/** `sql` and `ldap` in a service without backends: an engine runs them. */
export function engineScriptModules(bus: Pick<Bus, "request">): HostFunctions {
  const lent = (name: (typeof lentScriptFunctions)[number]): HostFunction => {
    return async (args, { script, deadline, signal }) => {
      const reply = await bus.request(scriptModule, { script, function: name, args: [...args] }, { deadline, signal });
      if (reply.outcome === "error") throw new Error(reply.message);
      return toLuaValue(reply.value);
    };
  };
  return Object.fromEntries(lentScriptFunctions.map((name) => [name, lent(name)]));
}
