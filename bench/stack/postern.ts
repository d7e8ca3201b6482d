import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@postern/testing";
import type { Measured } from "../measure/processes.ts";
import { type CallerConfig, configText, type Protection } from "./config.ts";
import { type DecisionCounts, parseDecisionCounts, settledCounts } from "./decision-counts.ts";
import type { Servers } from "./servers.ts";
import { type RunningService, startService } from "./service.ts";

/** One gateway and its engines, built and configured as in production. */
export interface Postern extends AsyncDisposable {
  /** `POST /api/v1/auth/json`. */
  readonly url: string;
  readonly gateway: RunningService;
  readonly engines: readonly RunningService[];
  /** The namespace of their bus. */
  readonly namespace: string;
  /** Includes the servers that they use; excludes engines of another instance. */
  readonly processes: readonly Measured[];
  /** The decisions counted so far. */
  decisionsSoFar(): Promise<DecisionCounts>;
  /** Counts the decisions when no request is in progress. */
  decisions(): Promise<DecisionCounts>;
}

export interface PosternOptions {
  readonly servers: Servers;
  /** `auth.backends`. */
  readonly backends: object;
  readonly engines?: number;
  /** If set, it starts no engines and uses these. */
  readonly enginesOf?: Postern;
  /** Default: Basic. */
  readonly callers?: CallerConfig | undefined;
  /** Default: none. */
  readonly protection?: Protection | undefined;
  readonly nodeArgs?: readonly string[];
  /** As in `ServiceOptions`. */
  readonly tree?: string | undefined;
  /** Additional keys of `auth`. */
  readonly auth?: object | undefined;
  /** Additional keys of `observability`. */
  readonly observability?: object | undefined;
  /** As in `ConfigParts`. */
  readonly storage?: object | undefined;
  /** As in `ConfigParts`. With it, the identity provider, admin and a worker run too; the CPU time of the first counts as that of an engine. */
  readonly identity?: ((issuer: string) => object) | undefined;
}

export interface WrittenConfig {
  readonly configFile: string;
  readonly httpPort: number;
  readonly namespace: string;
}

export async function writeConfig(
  servers: Servers,
  backends: object,
  options: Pick<PosternOptions, "callers" | "protection" | "auth" | "observability" | "storage" | "identity"> & {
    readonly namespace?: string;
  } = {},
): Promise<WrittenConfig> {
  const httpPort = await freePort();
  const { namespace = `bench-${httpPort}` } = options;
  const configFile = join(servers.folder, `config-${httpPort}.yaml`);
  const { natsUrl, redisPort } = servers;
  // JSON is valid YAML.
  await writeFile(configFile, configText({ ...options, namespace, httpPort, natsUrl, redisPort, backends }));
  return { configFile, httpPort, namespace };
}

export async function startPostern({
  servers,
  backends,
  enginesOf,
  engines = enginesOf === undefined ? 1 : 0,
  nodeArgs = [],
  tree,
  ...settings
}: PosternOptions): Promise<Postern> {
  await using started = new AsyncDisposableStack();
  const shared = enginesOf === undefined ? {} : { namespace: enginesOf.namespace };
  const { configFile, httpPort, namespace } = await writeConfig(servers, backends, { ...settings, ...shared });
  const idpAddress = `127.0.0.1:${await freePort()}`;
  const env = {
    SERVICE_RUNTIME_SERVICES_IDP_ADDRESS: idpAddress,
    SERVICE_RUNTIME_SERVICES_IDP_URL: `http://${idpAddress}`,
  };
  const options = { configFile, folder: servers.folder, nodeArgs, tree, ...(settings.identity && { env }) };
  const running: RunningService[] = [];
  for (let left = engines; left > 0; left -= 1) running.push(started.use(await startService("auth-engine", options)));
  const others: RunningService[] = [];
  if (settings.identity !== undefined) {
    for (const name of ["idp", "admin", "jobs-worker"] as const) {
      others.push(started.use(await startService(name, options)));
    }
  }
  const gateway = started.use(await startService("gateway", options));
  const decisionsSoFar = async (): Promise<DecisionCounts> => {
    const response = await fetch(`http://127.0.0.1:${gateway.privatePort}/metrics`);
    return parseDecisionCounts(await response.text());
  };
  const owned = started.move();
  return {
    url: `http://127.0.0.1:${httpPort}/api/v1/auth/json`,
    gateway,
    engines: enginesOf?.engines ?? running,
    namespace,
    processes: [
      { role: "gateway", pid: gateway.pid },
      ...[...running, ...others].map(({ pid }): Measured => ({ role: "engine", pid })),
      ...servers.processes,
    ],
    decisionsSoFar,
    decisions: () => settledCounts(decisionsSoFar),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
