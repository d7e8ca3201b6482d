import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type ChildServer, freePort, startChildServer } from "@postern/testing";
import {
  compileCache,
  garbageCollection,
  privateAddressVariable,
  type ServiceName,
  type ServiceProcess,
  serviceView,
} from "./service-process.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface WholeSiteOptions {
  readonly configFile: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments for Node. */
  readonly nodeArgs?: readonly string[] | undefined;
}

/** A test that stops or freezes one service does not mean the others too. */
function notAlone(name: ServiceName, server: ChildServer): Pick<ServiceProcess, "signal" | "stop"> {
  const refuse = (): never => {
    throw new Error(`the ${name} shares its process with other services: the stack needs shape: "five"`);
  };
  return { signal: (signalName) => (signalName === "SIGHUP" ? server.signal(signalName) : refuse()), stop: refuse };
}

/**
 * Services in one process, as `postern serve` runs them. Each has its own private listener; the other members are those of the process, which only
 * the gateway's view can end.
 */
export async function startWholeSite(
  names: readonly ServiceName[],
  { configFile, env, nodeArgs = [] }: WholeSiteOptions,
): Promise<ReadonlyMap<ServiceName, ServiceProcess>> {
  const ports = new Map(await Promise.all(names.map(async (name) => [name, await freePort()] as const)));
  const addresses = [...ports].map(([name, port]) => [privateAddressVariable(name), `127.0.0.1:${port}`]);
  const serve = ["serve", "--services", names.join(","), "--config", configFile];
  const server = await startChildServer({
    command: process.execPath,
    args: [...garbageCollection, ...nodeArgs, `${root}cli/dist/bundle/main.js`, ...serve],
    cwd: root,
    // Its sockets are beside the configuration: they go with that folder if the process is killed.
    env: { ...compileCache, TMPDIR: dirname(configFile), ...env, ...Object.fromEntries(addresses) },
    ready: async () =>
      (await fetch(`http://127.0.0.1:${[...ports.values()].at(-1)}/healthz`).catch(() => undefined))?.ok === true,
  });
  const view = (name: ServiceName, port: number): ServiceProcess => ({
    ...serviceView(server, `127.0.0.1:${port}`, port),
    ...(name !== "gateway" && notAlone(name, server)),
  });
  return new Map([...ports].map(([name, port]) => [name, view(name, port)]));
}
