import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "@postern/shared/testing";
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
  /** From spawn to the first 200 of `/readyz`. */
  readonly readyAfterMs: number;
  /** Processor time until then; steadier than the time on the clock. */
  readonly startCpuMs: number;
}

export interface ServiceOptions {
  readonly configFile: string;
  readonly folder: string;
  /** Arguments of Node itself, for a profile. */
  readonly nodeArgs?: readonly string[];
  /** Before what is chosen here. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Own ports for what else a service opens; the gateway's public one is in the configuration. */
async function listenerEnv(name: ServiceName, privatePort: number): Promise<Record<string, string>> {
  const prefix = `SERVICE_RUNTIME_SERVICES_${name.toUpperCase().replaceAll("-", "_")}`;
  const address = `127.0.0.1:${privatePort}`;
  const env = { NODE_COMPILE_CACHE: join(root, ".run/bench/compile-cache"), [`${prefix}_PRIVATE_ADDRESS`]: address };
  if (name !== "idp" && name !== "admin") return env;
  return { ...env, [`${prefix}_ADDRESS`]: `127.0.0.1:${await freePort()}` };
}

/** A built service as in production: its own process, its log in a file. Resolves once it is ready. */
export async function startService(name: ServiceName, options: ServiceOptions): Promise<RunningService> {
  const { configFile, folder, nodeArgs = [], env: given } = options;
  const privatePort = await freePort();
  const env = { ...(await listenerEnv(name, privatePort)), ...given };
  const started = performance.now();
  const service = startLoggedProcess({
    name,
    args: [...nodeArgs, join(root, "services", name, "dist/bundle/main.js"), "--config", configFile],
    env,
    logFile: join(folder, `${name}-${privatePort}.log`),
  });
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
