import { fileURLToPath } from "node:url";
import { type ChildServer, poll, type ServerPlace, startChildServer } from "@postern/testing";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Environment variables that let Node.js cache compiled code, because tests start the same programs hundreds of times. */
export const compileCache = { NODE_COMPILE_CACHE: `${root}.run/test/compile-cache` };

/**
 * Arguments of Node for every service. V8 begins with a small young generation, and would copy what a starting program keeps several times while
 * it grows; that is a fifth of the CPU time of a start. Threads that share the collection of so small a heap cost another tenth.
 */
export const garbageCollection = ["--min-semi-space-size=128", "--max-semi-space-size=128", "--single-threaded-gc"];

/** All services. */
export const serviceNames = ["gateway", "auth-engine", "idp", "admin", "jobs-worker"] as const;

export type ServiceName = (typeof serviceNames)[number];

export interface ServiceProcess extends ChildServer {
  readonly privatePort: number;
  /** The status of `/readyz`, or 0 without a response. */
  readiness(): Promise<number>;
  /** The metrics page. */
  metrics(): Promise<string>;
}

export interface ServiceProcessOptions {
  readonly configFile: string;
  readonly privatePort: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments for Node. */
  readonly nodeArgs?: readonly string[] | undefined;
  /** A working copy with bundles; this one by default. */
  readonly copy?: string | undefined;
  /** Default: this host. */
  readonly place?: ServerPlace;
}

async function statusOf(url: string): Promise<number> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

export function privateAddressVariable(name: ServiceName): string {
  return `SERVICE_RUNTIME_SERVICES_${name.toUpperCase().replaceAll("-", "_")}_PRIVATE_ADDRESS`;
}

/** A service that stops does so at once, unless it waits, for seconds, for what a test has taken away: a Redis, or an answer. */
const patienceAtEndMs = 1000;

/** A service at its private listener. `stop` lets it take its time; where a test is over, it has no more than a second. */
export function serviceView(server: ChildServer, address: string, privatePort: number): ServiceProcess {
  const page = `http://${address}`;
  return {
    ...server,
    [Symbol.asyncDispose]: async () => {
      const timer = setTimeout(() => server.signal("SIGKILL"), patienceAtEndMs);
      await server.stop();
      clearTimeout(timer);
    },
    privatePort,
    readiness: () => statusOf(`${page}/readyz`),
    metrics: async () => (await fetch(`${page}/metrics`)).text(),
  };
}

/** Starts a bundled service as a process. Resolves when its private listener responds. */
export async function startService(name: ServiceName, options: ServiceProcessOptions): Promise<ServiceProcess> {
  const { configFile, privatePort, env, nodeArgs = [], copy = root, place } = options;
  const address = `${place?.address ?? "127.0.0.1"}:${privatePort}`;
  const server = await startChildServer({
    command: process.execPath,
    args: [...garbageCollection, ...nodeArgs, `${copy}services/${name}/dist/bundle/main.js`, "--config", configFile],
    cwd: copy,
    env: { ...compileCache, ...env, [privateAddressVariable(name)]: address },
    port: privatePort,
    place,
  });
  return serviceView(server, address, privatePort);
}

/** @throws if the service is not ready within a minute, with its readiness page and the end of its output */
export async function untilReady(service: ServiceProcess): Promise<void> {
  try {
    await poll("the service to be ready", async () => (await service.readiness()) === 200);
  } catch (error) {
    const page = await fetch(`http://127.0.0.1:${service.privatePort}/readyz`, { signal: AbortSignal.timeout(2000) })
      .then((response) => response.text())
      .catch(String);
    throw new Error(`${String(error)}\n${page}\n${service.output().slice(-4000)}`, { cause: error });
  }
}
