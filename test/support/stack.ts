import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  freePort,
  type NatsServer,
  type RedisServer,
  scratchFolder,
  spawnNats,
  spawnRedis,
} from "@postern/shared/testing";
import { type ServiceName, type ServiceProcess, startService, untilReady } from "./service-process.ts";
import { defaultTree, merged, type StackPlaces, type Tree } from "./stack-config.ts";

export interface StackOptions {
  readonly engines?: number;
  /** The gateway's port. The default is a free port. */
  readonly httpPort?: number;
  /** Replaces `auth.backends` of the test configuration. */
  readonly backends?: object;
  /** Merged into the test configuration. */
  readonly settings?: Tree;
  /** Services to start in addition to engines and gateway, in this order, before the gateway. */
  readonly services?: readonly ServiceName[];
  /** Whether to start Redis. The configuration contains its address in any case. */
  readonly redis?: boolean;
  /** Additional environment variables of every service. */
  readonly env?: Readonly<Record<string, string>>;
}

/** NATS, engines and a gateway as processes on free ports, with the demo's users. */
export interface Stack extends AsyncDisposable {
  readonly url: string;
  readonly httpPort: number;
  readonly configFile: string;
  readonly folder: string;
  readonly adminUrl: string;
  readonly idpUrl: string;
  readonly gateway: ServiceProcess;
  readonly engines: ServiceProcess[];
  /** The services of `services` and those started later, by name. A later service replaces an earlier one of the same name. */
  readonly services: ReadonlyMap<ServiceName, ServiceProcess>;
  readonly nats: NatsServer;
  readonly redis: RedisServer | undefined;
  startEngine(): Promise<ServiceProcess>;
  /** Starts another service. Resolves when it is ready. */
  start(name: ServiceName): Promise<ServiceProcess>;
  /** Starts another replica of a service on its own listener. Resolves when it is ready. */
  startReplica(name: "idp" | "admin"): Promise<Replica>;
  /** Starts NATS again on the same port. */
  restartNats(): Promise<NatsServer>;
  /** Writes the configuration file with these settings merged in, for tests of SIGHUP. An empty tree restores it. */
  writeSettings(settings: Tree): Promise<void>;
  /** Replaces the configuration file with any text. */
  writeConfig(text: string): Promise<void>;
}

export interface Replica {
  readonly url: string;
  readonly process: ServiceProcess;
}

export const basicAuth = `Basic ${Buffer.from("backchannel:demo-backchannel-secret").toString("base64")}`;

function treeOf(places: StackPlaces, { backends, settings = {} }: StackOptions): Tree {
  const tree = merged(defaultTree(places), settings);
  const { auth } = tree;
  return backends === undefined ? tree : { ...tree, auth: { ...Object(auth), backends } };
}

async function freePlaces(folder: string, redisUrl: string | undefined): Promise<StackPlaces> {
  const [httpPort, adminPort, idpPort, natsPort, redisPort] = await Promise.all([1, 2, 3, 4, 5].map(() => freePort()));
  if (!httpPort || !adminPort || !idpPort || !natsPort || !redisPort) throw new Error("there is no free port");
  const natsUrl = `nats://127.0.0.1:${natsPort}`;
  return { folder, httpPort, adminPort, idpPort, natsUrl, redisUrl: redisUrl ?? `redis://127.0.0.1:${redisPort}/0` };
}

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  await using started = new AsyncDisposableStack();
  const folder = started.use(await scratchFolder());
  const redis = options.redis === true ? started.use(await spawnRedis()) : undefined;
  const free = await freePlaces(folder.path, redis?.url);
  const places = { ...free, httpPort: options.httpPort ?? free.httpPort };
  const natsPort = Number(new URL(places.natsUrl).port);
  const nats = started.use(await spawnNats({ port: natsPort }));
  const configFile = join(folder.path, "config.yaml");
  const tree = treeOf(places, options);
  const writeConfig = (text: string): Promise<void> => writeFile(configFile, text);
  await writeConfig(JSON.stringify(tree));

  const services = new Map<ServiceName, ServiceProcess>();
  const engines: ServiceProcess[] = [];
  const launch = async (
    owner: AsyncDisposableStack,
    name: ServiceName,
    env: StackOptions["env"] = {},
  ): Promise<ServiceProcess> => {
    const privatePort = await freePort();
    const service = owner.use(await startService(name, { configFile, privatePort, env: { ...options.env, ...env } }));
    await untilReady(service);
    return service;
  };
  const startInto = async (owner: AsyncDisposableStack, name: ServiceName): Promise<ServiceProcess> => {
    const service = await launch(owner, name);
    services.set(name, service);
    if (name === "auth-engine") engines.push(service);
    return service;
  };
  for (let count = options.engines ?? 1; count > 0; count -= 1) await startInto(started, "auth-engine");
  for (const name of options.services ?? []) await startInto(started, name);
  const gateway = await startInto(started, "gateway");
  const owned = started.move();
  return {
    url: `http://127.0.0.1:${places.httpPort}`,
    httpPort: places.httpPort,
    adminUrl: `http://127.0.0.1:${places.adminPort}`,
    idpUrl: `http://127.0.0.1:${places.idpPort}`,
    configFile,
    folder: folder.path,
    gateway,
    engines,
    services,
    nats,
    redis,
    startEngine: () => startInto(owned, "auth-engine"),
    start: (name) => startInto(owned, name),
    startReplica: async (name) => {
      const address = `127.0.0.1:${await freePort()}`;
      const variable = `SERVICE_RUNTIME_SERVICES_${name.toUpperCase()}_ADDRESS`;
      return { url: `http://${address}`, process: await launch(owned, name, { [variable]: address }) };
    },
    restartNats: async () => owned.use(await spawnNats({ port: natsPort })),
    writeSettings: (settings) => writeConfig(JSON.stringify(merged(tree, settings))),
    writeConfig,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
