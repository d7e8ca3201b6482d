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
import { type ServiceName, type ServiceProcess, startService, untilReady } from "./service-process.ts";
import { createTokenIssuer, type TokenIssuer } from "./token-issuer.ts";

const seedFile = fileURLToPath(new URL("../../config/demo-directory.sql", import.meta.url));

export const jwtSecret = "test-jwt-signing-key-of-no-worth-at-all";

export interface CallersStackOptions {
  /** Added to `auth.backchannel.jwt`. */
  readonly jwt?: object;
  readonly admins?: number;
  /** `auth.backends`; else the demo's users without second factors. */
  readonly backends?: (folder: string) => object;
}

/** Gateway, admin and engine with a Redis of their own; callers come with Basic, with tokens of a key made here, or JWT. */
export interface CallersStack extends AsyncDisposable {
  readonly url: string;
  /** Each admin's own listener, for tests that go past the gateway. */
  readonly adminUrls: readonly string[];
  readonly issuer: TokenIssuer;
  readonly redis: RedisServer;
  readonly nats: NatsServer;
  readonly services: readonly ServiceProcess[];
  readonly gateway: ServiceProcess;
}

interface Places {
  readonly folder: string;
  readonly httpPort: number;
  readonly adminPort: number;
  readonly natsUrl: string;
  readonly redisUrl: string;
  readonly jwksFile: string;
}

const assertionSecret = "test-caller-assertion-secret-of-no-worth";

function demoUsers(folder: string): object {
  return {
    order: ["sql"],
    sql: {
      default: { file: join(folder, "directory.sqlite"), seed_file: seedFile },
      search: [
        {
          protocol: ["*"],
          cache_name: "demo",
          queries: {
            user: "SELECT username AS account, password, mail, NOT enabled AS disabled FROM users WHERE username = :username",
          },
          mapping: { account_field: "account", password_column: "password", disabled_column: "disabled" },
          attribute: ["mail"],
        },
      ],
    },
  };
}

/** JSON is YAML. */
function configText(places: Places, { jwt = {}, backends = demoUsers }: CallersStackOptions): string {
  const { folder, httpPort, adminPort, natsUrl, redisUrl, jwksFile } = places;
  return JSON.stringify({
    runtime: {
      // Tests wait for its end.
      timeouts: { decision: "2s", redis_write: "1s" },
      servers: { http: { address: [`127.0.0.1:${httpPort}`], rate_limit: { per_second: 10_000, burst: 10_000 } } },
      services: {
        caller_assertion: { secret: assertionSecret },
        admin: { address: `127.0.0.1:${adminPort}`, url: `http://127.0.0.1:${adminPort}` },
      },
      bus: { servers: [natsUrl] },
    },
    observability: { log: { level: "debug" }, metrics: { endpoint_enabled: true } },
    storage: {
      redis: {
        password_nonce: "test-password-nonce-0",
        encryption_secret: "test-encryption-secret",
        roles: { state: { url: redisUrl }, queue: { url: redisUrl }, cache: { url: redisUrl } },
      },
    },
    auth: {
      backchannel: {
        basic_auth: { enabled: true, username: "backchannel", password: "demo-backchannel-secret" },
        oidc_bearer: {
          enabled: true,
          issuer: "https://idp.example.test",
          jwks_file: jwksFile,
          revocation_ttl: "200ms",
        },
        jwt: { enabled: true, secret_key: jwtSecret, ...jwt },
      },
      backends: backends(folder),
    },
  });
}

export async function startCallersStack(options: CallersStackOptions = {}): Promise<CallersStack> {
  await using started = new AsyncDisposableStack();
  const { path: folder } = started.use(await scratchFolder());
  const [httpPort, adminPort] = [await freePort(), await freePort()];
  const redis = started.use(await spawnRedis());
  const nats = started.use(await spawnNats());
  const issuer = await createTokenIssuer("https://idp.example.test");
  const jwksFile = join(folder, "jwks.json");
  await writeFile(jwksFile, JSON.stringify(issuer.jwks));
  const configFile = join(folder, "config.yaml");
  const places = { folder, httpPort, adminPort, natsUrl: nats.url, redisUrl: redis.url, jwksFile };
  await writeFile(configFile, configText(places, options));
  const services: ServiceProcess[] = [];
  const start = async (name: ServiceName, env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> => {
    const service = started.use(await startService(name, { configFile, privatePort: await freePort(), env }));
    await untilReady(service);
    services.push(service);
    return service;
  };
  await start("auth-engine");
  const adminPorts = [adminPort];
  for (let count = options.admins ?? 1; count > 1; count -= 1) adminPorts.push(await freePort());
  for (const port of adminPorts) await start("admin", { SERVICE_RUNTIME_SERVICES_ADMIN_ADDRESS: `127.0.0.1:${port}` });
  const gateway = await start("gateway");
  const owned = started.move();
  return {
    url: `http://127.0.0.1:${httpPort}`,
    adminUrls: adminPorts.map((port) => `http://127.0.0.1:${port}`),
    issuer,
    redis,
    nats,
    services,
    gateway,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

export { assertionSecret };
