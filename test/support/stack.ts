import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  freePort,
  type NatsServer,
  type RedisServer,
  redisUserOf,
  redisUserPassword,
  scratchFolder,
} from "@postern/testing";
import { copyDemoDatabase } from "./demo-users.ts";
import { type ServiceName, type ServiceProcess, startService, untilReady } from "./service-process.ts";
import { defaultTree, merged, type StackPlaces, type Tree } from "./stack-config.ts";
import { createServers } from "./stack-servers.ts";
import { startWholeSite } from "./whole-site.ts";

export interface StackOptions {
  readonly engines?: number;
  /**
   * `one` runs the services in one process; without NATS, unless `joinsNats`. `five` runs a process for each service, for tests that stop,
   * freeze or count processes, read what they exchange, or need several replicas. Default: `POSTERN_SHAPE`; else `one`, or `five` with several engines.
   */
  readonly shape?: "five" | "one" | undefined;
  /** Whether the one process uses NATS, so that others can join it. */
  readonly joinsNats?: boolean;
  /** The port of the gateway; a free one by default. */
  readonly httpPort?: number;
  /** Replaces `auth.backends` of the test configuration. A function may write files to the stack's folder. */
  readonly backends?: object | ((folder: string) => object);
  /** Merged into the test configuration, key by key. */
  readonly settings?: Tree;
  /** `false` starts none, for tests that ask only the services behind it. */
  readonly gateway?: false | undefined;
  /** Services to start in addition to engines and gateway. */
  readonly services?: readonly ServiceName[];
  /** Starts a Redis. The configuration names its address in any case. */
  readonly redis?: boolean;
  /** Starts neither NATS nor Redis, and does not wait until the services are ready; `startNats` and `startRedis` follow. */
  readonly serversLater?: boolean;
  /** Additional environment variables of every service. */
  readonly env?: Env | undefined;
  /** Arguments for Node, for every service. */
  readonly nodeArgs?: readonly string[];
  /** The working copy whose bundles are started, for tests with an earlier version; called for each process. */
  readonly copy?: () => string | undefined;
}

type Env = Readonly<Record<string, string>>;

/** NATS, engines and, unless it is turned off, a gateway as processes on free ports, with the demo's users. */
export interface Stack extends AsyncDisposable {
  readonly url: string;
  readonly httpPort: number;
  readonly configFile: string;
  readonly folder: string;
  readonly adminUrl: string;
  readonly idpUrl: string;
  readonly isOneProcess: boolean;
  readonly gateway: ServiceProcess;
  readonly engines: ServiceProcess[];
  /** The engines, the gateway, and the services of `services` and those started later, by name. A later process replaces an earlier one of the same name. */
  readonly services: ReadonlyMap<ServiceName, ServiceProcess>;
  /** @throws if it was not started */
  service(name: ServiceName): ServiceProcess;
  /** The server that was started last. */
  readonly nats: NatsServer;
  /** The server that was started last, if any. */
  readonly redis: RedisServer | undefined;
  startEngine(): Promise<ServiceProcess>;
  /** Starts another service; resolves when it is ready. */
  start(name: ServiceName): Promise<ServiceProcess>;
  /** Starts another replica of a service on a separate port, with additional environment variables; resolves when it is ready. */
  startReplica(name: keyof typeof addressVariables, env?: Env): Promise<Replica>;
  /** Starts NATS on the stack's port: later, or again after it was stopped. */
  startNats(): Promise<NatsServer>;
  /** Starts an empty Redis on the stack's port: later, or again after it was stopped. */
  startRedis(): Promise<RedisServer>;
  /** Writes the configuration with other settings merged into it, for tests of SIGHUP; an empty tree restores it. */
  writeSettings(settings: Tree): Promise<void>;
  /** Replaces the configuration and sends SIGHUP to the gateway. */
  reloadGateway(settings: Tree): Promise<void>;
  /** Replaces the configuration file with any text. */
  writeConfig(text: string): Promise<void>;
}

export interface Replica {
  readonly url: string;
  readonly process: ServiceProcess;
}

const addressVariables = {
  gateway: "SERVICE_RUNTIME_SERVERS_HTTP_ADDRESS",
  idp: "SERVICE_RUNTIME_SERVICES_IDP_ADDRESS",
  admin: "SERVICE_RUNTIME_SERVICES_ADMIN_ADDRESS",
} as const;

export const basicAuth = `Basic ${Buffer.from("backchannel:demo-backchannel-secret").toString("base64")}`;

/** One process has one engine, and another service that asks it. */
const isOneProcess = ({ shape, engines = 1, gateway, services = [] }: StackOptions): boolean =>
  (shape ?? process.env["POSTERN_SHAPE"] ?? "one") === "one" &&
  engines === 1 &&
  (gateway !== false || services.length > 0);
/** Whether the stack has NATS. */
const usesNats = (options: StackOptions): boolean => options.joinsNats === true || !isOneProcess(options);

/** An engine waits that long for Redis before it is ready; where there is none, patience would only delay each start. */
const noRedisThere: Tree = { storage: { redis: { connect_timeout: "50ms" } } };

const hasRedis = ({ redis, serversLater }: StackOptions): boolean => redis === true || serversLater === true;

function treeOf(places: StackPlaces, options: StackOptions): Tree {
  const { backends, settings = {} } = options;
  const shape = usesNats(options) ? {} : { runtime: { bus: { servers: [] } } };
  const servers = hasRedis(options) ? shape : merged(shape, noRedisThere);
  const tree = merged(merged(defaultTree(places), servers), settings);
  const { auth } = tree;
  if (backends === undefined) return tree;
  return {
    ...tree,
    auth: { ...Object(auth), backends: typeof backends === "function" ? backends(places.folder) : backends },
  };
}

async function freePlaces(folder: string): Promise<StackPlaces> {
  const [httpPort, adminPort, idpPort, natsPort, redisPort] = await Promise.all([1, 2, 3, 4, 5].map(() => freePort()));
  if (!httpPort || !adminPort || !idpPort || !natsPort || !redisPort) throw new Error("there is no free port");
  const [natsUrl, redisUrl] = [`nats://127.0.0.1:${natsPort}`, `redis://127.0.0.1:${redisPort}/0`];
  return { folder, httpPort, adminPort, idpPort, natsUrl, redisUrl };
}

/** The values in order. Waits for all before it throws the first error, so that nothing starts after the stack is disposed of. */
async function allSettled<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** Each service has exactly the rights in Redis that the documentation names. */
const redisRights = (name: ServiceName): Env => ({
  SERVICE_STORAGE_REDIS_PRIMARY_USERNAME: redisUserOf(name),
  SERVICE_STORAGE_REDIS_PRIMARY_PASSWORD: redisUserPassword,
});

function createLauncher(owned: AsyncDisposableStack, configFile: string, options: StackOptions) {
  const { env: commonEnv = {}, nodeArgs, copy = () => undefined } = options;
  const hasOwnRedis = hasRedis(options);
  const services = new Map<ServiceName, ServiceProcess>();
  const engines: ServiceProcess[] = [];
  const processes: ServiceProcess[] = [];
  owned.defer(async () => {
    await allSettled(processes.map(async (service) => service[Symbol.asyncDispose]()));
  });
  const launch = async (name: ServiceName, env: Env = {}): Promise<ServiceProcess> => {
    const from = copy();
    const rights = hasOwnRedis && from === undefined ? redisRights(name) : {};
    const allEnv = { ...rights, ...commonEnv, ...env };
    const options = { configFile, privatePort: await freePort(), env: allEnv, nodeArgs, copy: from };
    const service = await startService(name, options);
    processes.push(service);
    return service;
  };
  const add = (name: ServiceName, service: ServiceProcess): void => {
    services.set(name, service);
    if (name === "auth-engine") engines.push(service);
  };
  return {
    services,
    engines,
    /** Starts the processes side by side; resolves when their private listeners respond. */
    startAlive: async (names: readonly ServiceName[]): Promise<readonly ServiceProcess[]> => {
      if (isOneProcess(options)) {
        const all = await startWholeSite([...new Set(names)], { configFile, env: commonEnv, nodeArgs });
        for (const [name, service] of all) add(name, service);
        processes.push(...all.values());
        return [...all.values()];
      }
      const started = await allSettled(names.map((name) => launch(name)));
      for (const [index, name] of names.entries()) {
        const service = started[index];
        if (service !== undefined) add(name, service);
      }
      return started;
    },
    start: async (name: ServiceName): Promise<ServiceProcess> => {
      if (isOneProcess(options)) throw new Error(`a stack of one process starts no ${name} later`);
      const service = await launch(name);
      add(name, service);
      await untilReady(service);
      return service;
    },
    startReplica: async (name: keyof typeof addressVariables, env: Env = {}): Promise<Replica> => {
      if (isOneProcess(options)) throw new Error(`a stack of one process starts no other ${name}`);
      const address = `127.0.0.1:${await freePort()}`;
      const process = await launch(name, { [addressVariables[name]]: address, ...env });
      await untilReady(process);
      return { url: `http://${address}`, process };
    },
  };
}

async function startInto(owned: AsyncDisposableStack, options: StackOptions): Promise<Stack> {
  const { path: folder } = owned.use(await scratchFolder());
  const free = await freePlaces(folder);
  const places = { ...free, httpPort: options.httpPort ?? free.httpPort };
  const configFile = join(folder, "config.yaml");
  const tree = treeOf(places, options);
  const writeConfig = (text: string): Promise<void> => writeFile(configFile, text);
  const writeSettings = (settings: Tree): Promise<void> => writeConfig(JSON.stringify(merged(tree, settings)));
  await writeSettings({});
  await copyDemoDatabase(tree);

  const servers = createServers(owned, places);
  const urls = {
    gateway: `http://127.0.0.1:${places.httpPort}`,
    admin: `http://127.0.0.1:${places.adminPort}`,
    idp: `http://127.0.0.1:${places.idpPort}`,
  };
  const launcher = createLauncher(owned, configFile, options);
  const engines = Array.from({ length: options.engines ?? 1 }, () => "auth-engine" as const);
  const serversFirst = options.serversLater !== true;
  const wanted = [
    ...(usesNats(options) ? [servers.startNats] : []),
    ...(options.redis === true ? [servers.startRedis] : []),
  ];
  if (serversFirst) await allSettled<NatsServer | RedisServer>(wanted.map((start) => start()));
  const started = await launcher.startAlive([
    ...engines,
    ...(options.services ?? []),
    ...(options.gateway === false ? [] : (["gateway"] as const)),
  ]);
  if (serversFirst) await allSettled(started.map(untilReady));
  const service = (name: ServiceName): ServiceProcess => {
    const found = launcher.services.get(name);
    if (found === undefined) throw new Error(`the stack has no ${name}`);
    return found;
  };
  return {
    url: urls.gateway,
    httpPort: places.httpPort,
    adminUrl: urls.admin,
    idpUrl: urls.idp,
    configFile,
    folder,
    isOneProcess: isOneProcess(options),
    service,
    get gateway() {
      return service("gateway");
    },
    engines: launcher.engines,
    services: launcher.services,
    get nats() {
      return servers.nats();
    },
    get redis() {
      return servers.redis();
    },
    startEngine: () => launcher.start("auth-engine"),
    start: launcher.start,
    startReplica: launcher.startReplica,
    startNats: servers.startNats,
    startRedis: servers.startRedis,
    writeSettings,
    reloadGateway: async (settings) => {
      await writeSettings(settings);
      service("gateway").signal("SIGHUP");
    },
    writeConfig,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const owned = new AsyncDisposableStack();
  try {
    return await startInto(owned, options);
  } catch (error) {
    await owned.disposeAsync();
    throw error;
  }
}
