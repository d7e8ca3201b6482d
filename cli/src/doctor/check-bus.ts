import { busFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import { createMetrics } from "@postern/shared/platform/metrics";
import { type Check, type Finding, findingsOf } from "./finding.ts";
import { createLogMemory } from "./log-memory.ts";

const subject = "nats";

/** Whether the server accepts a client. The connection is closed again. */
async function admits(config: Config): Promise<{ readonly isConnected: boolean; readonly reason: string }> {
  const memory = createLogMemory();
  const bus = await busFromConfig(config, { service: "doctor", logger: memory.logger, metrics: createMetrics() });
  const isConnected = bus.isConnected();
  await bus.close();
  return { isConnected, reason: memory.latest() ?? "no answer" };
}

function anonymous(config: Config): Config {
  const bus = { ...config.runtime.bus, username: "", password: "", token: "", credentials_file: "" };
  return { ...config, runtime: { ...config.runtime, bus } };
}

async function checkBus(config: Config): Promise<readonly Finding[]> {
  const { problem, warning } = findingsOf(subject);
  const { isConnected, reason } = await admits(config);
  const { servers, username, token, credentials_file: file } = config.runtime.bus;
  if (!isConnected) {
    const advice = "start NATS, or correct runtime.bus.servers and its credentials";
    return [problem(`${servers.join(", ")} not reachable: ${reason}`, advice)];
  }
  if ([username, token, file].some((login) => login !== "") && !(await admits(anonymous(config))).isConnected)
    return [];
  const found = "the server accepts clients without credentials, and users' passwords cross it";
  return [warning(found, "set authorization in the configuration of NATS, and the token in runtime.bus.token")];
}

/** Whether NATS, if the site has it, is reachable, and only with credentials. */
export function busChecks(config: Config): readonly Check[] {
  if (config.runtime.bus.servers.length === 0) return [];
  return [{ subject, run: () => checkBus(config) }];
}
