import type { Config } from "../config/index.ts";
import type { PreflightCheck } from "./run-checks.ts";

const engine = "auth-engine";

/** Without NATS, a process has an engine and the services that ask it, because no other process can reach it. */
export function busServersCheck(config: Config, services: readonly string[]): PreflightCheck {
  return {
    path: "runtime.bus.servers",
    run: () => {
      if (config.runtime.bus.servers.length > 0 || (services.length > 1 && services.includes(engine))) return;
      throw new RangeError(
        `must name the NATS servers, because ${services.join(", ")} alone is not a whole site; without NATS, run the services in one process (postern serve)`,
      );
    },
  };
}
