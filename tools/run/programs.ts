import { join } from "node:path";
import type { RunOptions } from "./options.ts";

/**
 * Stops the gateway first, so that no service receives requests after its dependencies have stopped; the stores last.
 */
export type StopStage = 1 | 2 | 3;

export interface Program {
  /** The program's name, and that of its log file. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stopStage: StopStage;
  /** Ports of 127.0.0.1 that it opens; the first one indicates readiness. */
  readonly ports: readonly number[];
  /** Stores are ready when they accept connections, services when `/readyz` of their private listener answers 200. */
  readonly kind: "store" | "service";
}

const services = [
  { name: "gateway", privatePort: 9101, otherPorts: [8080, 9444, 9081] },
  { name: "auth-engine", privatePort: 9102, otherPorts: [] },
  { name: "idp", privatePort: 9103, otherPorts: [] },
  { name: "admin", privatePort: 9104, otherPorts: [] },
  { name: "jobs-worker", privatePort: 9105, otherPorts: [] },
] as const;

const redisPort = 16_379;
const natsPort = 14_222;
const engine = "auth-engine";
/** Each further engine adds 10 to the first one's private port: 9102, 9112, 9122. */
const enginePortStep = 10;

/** All private ports, by service. */
export function privatePorts({ portOffset }: RunOptions): readonly (readonly [name: string, port: number])[] {
  return services.map(({ name, privatePort }) => [name, privatePort + portOffset]);
}

export function publicPort({ portOffset }: RunOptions): number {
  return services[0].otherPorts[0] + portOffset;
}

export function natsConfiguration({ portOffset }: RunOptions): string {
  return `listen: "127.0.0.1:${natsPort + portOffset}"\nserver_name: "postern-demo"\nmax_payload: 4MB\n`;
}

/** The demo's own state survives a restart, so Redis appends to a file. */
export function stores({ folder, portOffset, isOneProcess }: RunOptions): readonly Program[] {
  const redis = ["--port", String(redisPort + portOffset), "--bind", "127.0.0.1", "--dir", join(folder, "redis")];
  const keep = ["--save", "", "--appendonly", "yes", "--maxmemory-policy", "noeviction", "--daemonize", "no"];
  const store = { env: {}, stopStage: 3, kind: "store" } as const;
  const redisStore = { ...store, name: "redis", command: "redis-server", args: [...redis, ...keep] };
  const nats = {
    ...store,
    name: "nats",
    // One message at a time needs no second thread: waking it costs more than the message (docs/contributing/performance.md).
    env: { GOMAXPROCS: "1" },
    command: "nats-server",
    args: ["-c", join(folder, "nats.conf")],
    ports: [natsPort + portOffset],
  };
  return [{ ...redisStore, ports: [redisPort + portOffset] }, ...(isOneProcess ? [] : [nats])];
}

const addressVariable = (name: string): string =>
  `SERVICE_RUNTIME_SERVICES_${name.toUpperCase().replaceAll("-", "_")}_PRIVATE_ADDRESS`;

/** Compiling our packages takes half of a start; the cache speeds up later starts. */
const compileCache = ({ folder }: RunOptions) => ({ NODE_COMPILE_CACHE: join(folder, "compile-cache") });

function service(options: RunOptions, name: string, ports: readonly number[], replica: number): Program {
  const moved = options.portOffset !== 0 || replica > 1;
  return {
    name: replica === 1 ? name : `${name}-${replica}`,
    command: process.execPath,
    args: [join(options.servicesRoot, "services", name, "dist/bundle/main.js"), "--config", "config/demo.yaml"],
    env: { ...compileCache(options), ...(moved && { [addressVariable(name)]: `127.0.0.1:${ports[0]}` }) },
    stopStage: name === "gateway" ? 1 : 2,
    ports,
    kind: "service",
  };
}

/** All services in one process. The gateway, whose port is the first, is ready last. */
function wholeSite(options: RunOptions): Program {
  const own = privatePorts(options);
  const others = services.flatMap(({ otherPorts }) => otherPorts).map((port) => port + options.portOffset);
  const moved = own.map(([name, port]) => [addressVariable(name), `127.0.0.1:${port}`]);
  return {
    name: "postern",
    command: process.execPath,
    args: [join(options.servicesRoot, "cli/dist/bundle/main.js"), "serve", "--config", "config/demo.yaml"],
    env: {
      ...compileCache(options),
      SERVICE_RUNTIME_BUS_SERVERS: "",
      ...(options.portOffset !== 0 && Object.fromEntries(moved)),
    },
    stopStage: 1,
    ports: [...own.map(([, port]) => port), ...others],
    kind: "service",
  };
}

export function servicePrograms(options: RunOptions): readonly Program[] {
  if (options.isOneProcess) return [wholeSite(options)];
  return services.flatMap(({ name, privatePort, otherPorts }) => {
    const replicas = name === engine ? options.engines : 1;
    return Array.from({ length: replicas }, (_, index) => {
      const ports = [privatePort + index * enginePortStep, ...otherPorts].map((port) => port + options.portOffset);
      return service(options, name, ports, index + 1);
    });
  });
}
