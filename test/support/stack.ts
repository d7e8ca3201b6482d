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
  /** Where the gateway listens; else a free port. */
  readonly httpPort?: number;
  /** Replaces `auth.backends` of the test configuration: YAML-compatible JSON. */
  readonly backends?: object;
  /** Laid over the test configuration, key by key. */
  readonly settings?: Tree;
  /** Services beside the engines and the gateway, started in this order before the gateway. */
  readonly services?: readonly ServiceName[];
  /** Starts a Redis, which the configuration names in any case. */
  readonly redis?: boolean;
  /** More environment variables of every service. */
  readonly env?: Readonly<Record<string, string>>;
}

/** NATS, engines and a gateway as real processes on free ports, with the demo's users. */
export interface Stack extends AsyncDisposable {
  readonly url: string;
  readonly httpPort: number;
  readonly configFile: string;
  readonly folder: string;
  readonly adminUrl: string;
  readonly idpUrl: string;
  readonly gateway: ServiceProcess;
  readonly engines: ServiceProcess[];
  /** The services of `services` and those started later, by name; the last of a name. */
  readonly services: ReadonlyMap<ServiceName, ServiceProcess>;
  readonly nats: NatsServer;
  readonly redis: RedisServer | undefined;
  startEngine(): Promise<ServiceProcess>;
  /** Starts a further service, ready when this resolves. */
  start(name: ServiceName): Promise<ServiceProcess>;
  /** Starts another replica of a service on a listener of its own, ready when this resolves. */
  startReplica(name: "idp" | "admin"): Promise<Replica>;
  /** NATS again on its port, after it was killed. */
  restartNats(): Promise<NatsServer>;
  /** Writes the configuration again with settings laid over it, for tests of SIGHUP; an empty tree restores it. */
  writeSettings(settings: Tree): Promise<void>;
  /** Writes any text in the place of the configuration. */
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
  if (!httpPort || !adminPort || !idpPort || !natsPort || !redisPort) throw new Error("no free port");
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
