import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, scratchFolder, spawnNats } from "@postern/shared/testing";
import { type ConfigTree, mergeConfig } from "./merge-config.ts";
import { type ServiceProcess, startService, untilReady } from "./service-process.ts";

const seedFile = fileURLToPath(new URL("../../config/demo-directory.sql", import.meta.url));

export interface StackOptions {
  readonly engines?: number;
  /** Where the gateway listens; else a free port. */
  readonly httpPort?: number;
  /** Replaces `auth.backends` of the test configuration: YAML-compatible JSON. */
  readonly backends?: object;
  /** More of `runtime.timeouts`. */
  readonly timeouts?: Readonly<Record<string, string>>;
  readonly developerMode?: boolean;
  /** Put over the test configuration, section by section. */
  readonly config?: ConfigTree;
}

/** NATS, engines and a gateway as real processes on free ports, with the demo's users. */
export interface Stack extends AsyncDisposable {
  readonly url: string;
  readonly configFile: string;
  readonly gateway: ServiceProcess;
  readonly engines: ServiceProcess[];
  readonly nats: Awaited<ReturnType<typeof spawnNats>>;
  startEngine(): Promise<ServiceProcess>;
  /** Writes the configuration again with a change of its text, for tests of SIGHUP. */
  rewriteConfig(change: (text: string) => string): Promise<void>;
}

export const basicAuth = `Basic ${Buffer.from("backchannel:demo-backchannel-secret").toString("base64")}`;

function demoBackends(folder: string): object {
  return {
    order: ["sql"],
    sql: {
      default: { file: join(folder, "directory.sqlite"), seed_file: seedFile },
      search: [
        {
          protocol: ["*"],
          cache_name: "demo",
          queries: {
            user: "SELECT username AS account, password, display_name AS displayName, mail, uid, NOT enabled AS disabled FROM users WHERE username = :username",
          },
          mapping: { account_field: "account", password_column: "password", disabled_column: "disabled" },
          attribute: ["displayName", "mail", "uid"],
        },
      ],
    },
  };
}

interface ConfigParts {
  readonly httpPort: number;
  readonly natsUrl: string;
  readonly folder: string;
  readonly options: StackOptions;
}

/** JSON is YAML. */
function configText({ httpPort, natsUrl, folder, options }: ConfigParts): string {
  const { timeouts = {}, developerMode = false, backends = demoBackends(folder), config = {} } = options;
  const base = {
    runtime: {
      developer_mode: developerMode,
      servers: { http: { address: [`127.0.0.1:${httpPort}`] } },
      services: { caller_assertion: { secret: "test-caller-assertion-secret-of-no-worth" } },
      bus: { servers: [natsUrl] },
      timeouts,
    },
    observability: { log: { level: "info" }, metrics: { endpoint_enabled: true } },
    storage: { redis: { password_nonce: "test-password-nonce-0", encryption_secret: "test-encryption-secret" } },
    auth: {
      backchannel: { basic_auth: { enabled: true, username: "backchannel", password: "demo-backchannel-secret" } },
      backends,
    },
  };
  return JSON.stringify(mergeConfig(base, config));
}

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  await using started = new AsyncDisposableStack();
  const folder = started.use(await scratchFolder());
  const nats = started.use(await spawnNats());
  const httpPort = options.httpPort ?? (await freePort());
  const configFile = join(folder.path, "config.yaml");
  const text = configText({ httpPort, natsUrl: nats.url, folder: folder.path, options });
  await writeFile(configFile, text);
  const start = async (name: "gateway" | "auth-engine"): Promise<ServiceProcess> => {
    const service = await startService(name, { configFile, privatePort: await freePort() });
    started.use(service);
    await untilReady(service);
    return service;
  };
  const engines: ServiceProcess[] = [];
  for (let count = options.engines ?? 1; count > 0; count -= 1) engines.push(await start("auth-engine"));
  const gateway = await start("gateway");
  const owned = started.move();
  return {
    url: `http://127.0.0.1:${httpPort}`,
    configFile,
    gateway,
    engines,
    nats,
    startEngine: async () => {
      const service = await startService("auth-engine", { configFile, privatePort: await freePort() });
      owned.use(service);
      await untilReady(service);
      engines.push(service);
      return service;
    },
    rewriteConfig: (change) => writeFile(configFile, change(text)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
