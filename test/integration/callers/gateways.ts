import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  freePort,
  type NatsServer,
  type RedisServer,
  scratchFolder,
  spawnNats,
  spawnRedis,
} from "@postern/shared/testing";
import { type ServiceProcess, startService, untilReady } from "../../support/service-process.ts";
import { basicAuth } from "../../support/stack.ts";

const seedFile = fileURLToPath(new URL("../../../config/demo-directory.sql", import.meta.url));

export const wrongAuth = `Basic ${Buffer.from("backchannel:wrong").toString("base64")}`;

export interface CallerAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly tookMs: number;
  readonly body: string;
}

export interface Gateway {
  readonly url: string;
  readonly process: ServiceProcess;
  /** A lookup of a demo user for an address that the loopback proxy forwards, with right credentials unless others are given. */
  ask(clientIp: string, authorization?: string): Promise<CallerAnswer>;
  /** The value of one series of the metrics page. */
  metric(series: string): Promise<number>;
}

export interface Gateways extends AsyncDisposable {
  readonly redis: RedisServer;
  readonly nats: NatsServer;
  readonly engine: ServiceProcess;
  /** Starts a gateway on the same Redis and NATS, with keys changed by the environment. */
  start(env?: Readonly<Record<string, string>>): Promise<Gateway>;
}

export interface RateLimit {
  readonly per_second: number;
  readonly burst: number;
}

function configOf(rateLimit: RateLimit, places: { folder: string; redisPort: number; natsUrl: string }): object {
  const queries = { user: "SELECT username AS account, password FROM users WHERE username = :username" };
  const mapping = { account_field: "account", password_column: "password" };
  const search = [{ protocol: ["*"], cache_name: "demo", queries, mapping, attribute: [] }];
  return {
    runtime: {
      servers: { http: { rate_limit: rateLimit } },
      services: { caller_assertion: { secret: "test-caller-assertion-secret-of-no-worth" } },
      bus: { servers: [places.natsUrl] },
    },
    storage: {
      redis: {
        primary: { address: `127.0.0.1:${places.redisPort}` },
        password_nonce: "test-password-nonce-0",
        encryption_secret: "test-encryption-secret",
      },
    },
    auth: {
      backchannel: { basic_auth: { enabled: true, username: "backchannel", password: "demo-backchannel-secret" } },
      backends: {
        order: ["sql"],
        sql: { default: { file: join(places.folder, "directory.sqlite"), seed_file: seedFile }, search },
      },
    },
  };
}

async function ask(url: string, headers: Readonly<Record<string, string>>): Promise<CallerAnswer> {
  const started = performance.now();
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ username: "alice@example.test", protocol: "imap" }),
  });
  const tookMs = performance.now() - started;
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    tookMs,
    body: await response.text(),
  };
}

function gatewayOf(url: string, process: ServiceProcess): Gateway {
  const path = `${url}/api/v1/auth/json?mode=no-auth`;
  return {
    url,
    process,
    ask: (clientIp, authorization = basicAuth) => ask(path, { authorization, "x-forwarded-for": clientIp }),
    metric: async (series) => {
      const line = (await process.metrics()).split("\n").find((text) => text.startsWith(`${series} `));
      return Number(line?.slice(series.length + 1));
    },
  };
}

/** NATS, Redis and an engine, for as many gateways as a test needs. */
export async function startGateways(rateLimit: RateLimit): Promise<Gateways> {
  await using started = new AsyncDisposableStack();
  const folder = started.use(await scratchFolder());
  const nats = started.use(await spawnNats());
  const redis = started.use(await spawnRedis());
  const configFile = join(folder.path, "config.yaml");
  const places = { folder: folder.path, redisPort: redis.port, natsUrl: nats.url };
  await writeFile(configFile, JSON.stringify(configOf(rateLimit, places)));
  const engine = started.use(await startService("auth-engine", { configFile, privatePort: await freePort() }));
  await untilReady(engine);
  const owned = started.move();
  return {
    redis,
    nats,
    engine,
    start: async (env = {}) => {
      const port = await freePort();
      const address = { SERVICE_RUNTIME_SERVERS_HTTP_ADDRESS: `127.0.0.1:${port}` };
      const options = { configFile, privatePort: await freePort(), env: { ...address, ...env } };
      const process = owned.use(await startService("gateway", options));
      await untilReady(process);
      return gatewayOf(`http://127.0.0.1:${port}`, process);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Counts the statuses of `count` simultaneous requests. */
export async function countStatuses(count: number, askOne: () => Promise<CallerAnswer>): Promise<Map<number, number>> {
  const answers = await Promise.all(Array.from({ length: count }, askOne));
  return new Map(
    Map.groupBy(answers, ({ status }) => status)
      .entries()
      .map(([status, group]) => [status, group.length]),
  );
}
