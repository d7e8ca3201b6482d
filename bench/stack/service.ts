import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "@postern/testing";
import { processMicros } from "../measure/processes.ts";
import { type LoggedProcess, startLoggedProcess } from "./logged-process.ts";
import { readiness } from "./readiness.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readyWithinMs = 20_000;
const askEveryMs = 5;

export const serviceNames = ["gateway", "auth-engine", "idp", "admin", "jobs-worker"] as const;
export type ServiceName = (typeof serviceNames)[number];

export interface RunningService extends LoggedProcess {
  readonly privatePort: number;
  /** The time from spawn to the first 200 of `/readyz`. */
  readonly readyAfterMs: number;
  /** CPU time until then; it varies less than the elapsed time. */
  readonly startCpuMs: number;
}

export interface ServiceOptions {
  readonly configFile: string;
  readonly folder: string;
  /** Arguments for Node, for a profile. */
  readonly nodeArgs?: readonly string[];
  /** The folder of another working tree, whose built service is started. */
  readonly tree?: string | undefined;
  /** Takes precedence over the variables chosen here. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Ports for the other listeners of a service; the gateway's public port is in the configuration. */
async function listenerEnv(name: ServiceName, privatePort: number): Promise<Record<string, string>> {
  const prefix = `SERVICE_RUNTIME_SERVICES_${name.toUpperCase().replaceAll("-", "_")}`;
  const address = `127.0.0.1:${privatePort}`;
  const env = { NODE_COMPILE_CACHE: join(root, ".run/bench/compile-cache"), [`${prefix}_PRIVATE_ADDRESS`]: address };
  if (name !== "idp" && name !== "admin") return env;
  return { ...env, [`${prefix}_ADDRESS`]: `127.0.0.1:${await freePort()}` };
}

/** The free ports of a service that is about to start. */
export interface Placed {
  readonly name: ServiceName;
  readonly privatePort: number;
  readonly env: Readonly<Record<string, string>>;
}

export async function placeService(name: ServiceName): Promise<Placed> {
  const privatePort = await freePort();
  return { name, privatePort, env: await listenerEnv(name, privatePort) };
}

/** A built service as in production: its own process, with its log in a file. It is not ready yet. */
export function spawnService({ name, privatePort, env: placed }: Placed, options: ServiceOptions): LoggedProcess {
  const { configFile, folder, nodeArgs = [], tree = root, env } = options;
  return startLoggedProcess({
    name,
    args: [...nodeArgs, join(tree, "services", name, "dist/bundle/main.js"), "--config", configFile],
    env: { ...placed, ...env },
    logFile: join(folder, `${name}-${privatePort}.log`),
  });
}

/** Resolves when the service is ready. */
export async function startService(name: ServiceName, options: ServiceOptions): Promise<RunningService> {
  const placed = await placeService(name);
  const { privatePort } = placed;
  const started = performance.now();
  const service = spawnService(placed, options);
  try {
    while ((await readiness(privatePort)) !== 200) {
      service.assertAlive();
      if (performance.now() - started > readyWithinMs) throw new Error(`${name} is not ready`);
      await delay(askEveryMs);
    }
  } catch (error) {
    await service.stop();
    throw error;
  }
  const readyAfterMs = performance.now() - started;
  return { ...service, privatePort, readyAfterMs, startCpuMs: processMicros(service.pid) / 1000 };
}
