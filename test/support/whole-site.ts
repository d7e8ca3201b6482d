import { fileURLToPath } from "node:url";
import { freePort, startChildServer } from "@postern/testing";
import {
  compileCache,
  privateAddressVariable,
  type ServiceName,
  type ServiceProcess,
  serviceView,
  youngGeneration,
} from "./service-process.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface WholeSiteOptions {
  readonly configFile: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments for Node. */
  readonly nodeArgs?: readonly string[] | undefined;
}

/** Services in one process, as `postern serve` runs them. Each has its own private listener; the other members are those of the process. */
export async function startWholeSite(
  names: readonly ServiceName[],
  { configFile, env, nodeArgs = [] }: WholeSiteOptions,
): Promise<ReadonlyMap<ServiceName, ServiceProcess>> {
  const ports = new Map(await Promise.all(names.map(async (name) => [name, await freePort()] as const)));
  const addresses = [...ports].map(([name, port]) => [privateAddressVariable(name), `127.0.0.1:${port}`]);
  const serve = ["serve", "--services", names.join(","), "--config", configFile];
  const server = await startChildServer({
    command: process.execPath,
    args: [...youngGeneration, ...nodeArgs, `${root}cli/dist/bundle/main.js`, ...serve],
    cwd: root,
    env: { ...compileCache, ...env, ...Object.fromEntries(addresses) },
    ready: async () =>
      (await fetch(`http://127.0.0.1:${[...ports.values()].at(-1)}/healthz`).catch(() => undefined))?.ok === true,
  });
  return new Map([...ports].map(([name, port]) => [name, serviceView(server, `127.0.0.1:${port}`, port)]));
}
