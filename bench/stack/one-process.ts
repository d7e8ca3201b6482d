import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { processMicros } from "../measure/processes.ts";
import { parseDecisionCounts, settledCounts } from "./decision-counts.ts";
import { type LoggedProcess, startLoggedProcess } from "./logged-process.ts";
import { type Postern, type PosternOptions, writeConfig } from "./postern.ts";
import { readiness } from "./readiness.ts";
import { type Placed, placeService, type RunningService, serviceNames } from "./service.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readyWithinMs = 20_000;
const askEveryMs = 5;

/** All services as one process, without NATS, and not ready yet. */
export function spawnOneProcess(placed: readonly Placed[], configFile: string, folder: string): LoggedProcess {
  return startLoggedProcess({
    name: "postern",
    args: [join(root, "cli/dist/bundle/main.js"), "serve", "--config", configFile],
    env: Object.assign({ SERVICE_RUNTIME_BUS_SERVERS: "" }, ...placed.map(({ env }) => env)),
    logFile: join(folder, `postern-${placed[0]?.privatePort}.log`),
  });
}

/** The whole site in one process, without NATS. Its CPU time is that of the gateway in a row. */
export async function startOneProcess({
  servers,
  backends,
  ...settings
}: Pick<PosternOptions, "servers" | "backends" | "protection" | "identity">): Promise<Postern> {
  const { configFile, httpPort, namespace } = await writeConfig(servers, backends, settings);
  const placed = await Promise.all(serviceNames.map(placeService));
  const portOf = (service: string): number => placed.find(({ name }) => name === service)?.privatePort ?? 0;
  const started = performance.now();
  const one = spawnOneProcess(placed, configFile, servers.folder);
  try {
    // The gateway starts last.
    while ((await readiness(portOf("gateway"))) !== 200) {
      one.assertAlive();
      if (performance.now() - started > readyWithinMs) throw new Error("the process is not ready");
      await delay(askEveryMs);
    }
  } catch (error) {
    await one.stop();
    throw error;
  }
  const times = { readyAfterMs: performance.now() - started, startCpuMs: processMicros(one.pid) / 1000 };
  const view = (service: string): RunningService => ({ ...one, ...times, privatePort: portOf(service) });
  const gateway = view("gateway");
  const decisionsSoFar = async () =>
    parseDecisionCounts(await (await fetch(`http://127.0.0.1:${gateway.privatePort}/metrics`)).text());
  return {
    url: `http://127.0.0.1:${httpPort}/api/v1/auth/json`,
    gateway,
    engines: [view("auth-engine")],
    namespace,
    processes: [{ role: "gateway", pid: one.pid }, ...servers.processes],
    decisionsSoFar,
    decisions: () => settledCounts(decisionsSoFar),
    [Symbol.asyncDispose]: () => one[Symbol.asyncDispose](),
  };
}
