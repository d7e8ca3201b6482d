import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type NatsServer, type RedisServer, scratchFolder } from "@postern/testing";
import type { ServiceProcess } from "./service-process.ts";
import { type Replica, type StackOptions, startStack } from "./stack.ts";
import { assertionSecret, demoBackends } from "./stack-config.ts";
import { createTokenIssuer, type TokenIssuer } from "./token-issuer.ts";

export const jwtSecret = "test-jwt-signing-key-of-no-worth-at-all";

export interface CallersStackOptions {
  /** Added to `auth.backchannel.jwt`. */
  readonly jwt?: object;
  readonly admins?: number;
  readonly gateways?: number;
  /** `runtime.timeouts.decision`; tests wait until the default has passed. */
  readonly decision?: string;
  /** Several admins or gateways run in processes of their own. */
  readonly shape?: StackOptions["shape"];
  /** `auth.backends` with files in this folder. The default is the demo's users without second factors. */
  readonly backends?: (folder: string) => object;
}

/** Gateways, admins, an engine and a Redis. API callers may use Basic credentials, tokens of the `issuer`, or JWTs. */
export interface CallersStack extends AsyncDisposable {
  readonly url: string;
  /** Each forwards to an admin of its own, if there are enough. The first is at `url`. */
  readonly gateways: readonly Replica[];
  /** The listener of each admin replica, for tests that bypass the gateway. */
  readonly adminUrls: readonly string[];
  readonly issuer: TokenIssuer;
  readonly redis: RedisServer;
  readonly nats: NatsServer;
  readonly services: readonly ServiceProcess[];
  readonly gateway: ServiceProcess;
}

export async function startCallersStack({
  jwt = {},
  admins = 1,
  gateways: gatewayCount = 1,
  backends = demoBackends,
  decision = "4s",
  shape = admins + gatewayCount > 2 ? "five" : undefined,
}: CallersStackOptions = {}): Promise<CallersStack> {
  await using started = new AsyncDisposableStack();
  const { path: folder } = started.use(await scratchFolder());
  const issuer = await createTokenIssuer("https://idp.example.test");
  const jwksFile = join(folder, "jwks.json");
  await writeFile(jwksFile, JSON.stringify(issuer.jwks));
  const oidcBearer = { enabled: true, issuer: issuer.issuer, jwks_file: jwksFile, revocation_ttl: "200ms" };
  const stack = started.use(
    await startStack({
      redis: true,
      shape,
      services: ["admin"],
      backends: backends(folder),
      settings: {
        runtime: {
          // On a busy machine 25 passwords take seconds.
          timeouts: { decision, redis_write: "1s" },
          servers: { http: { auth_policy_endpoint: true, rate_limit: { per_second: 10_000, burst: 10_000 } } },
        },
        observability: { log: { level: "debug" } },
        auth: {
          backchannel: { oidc_bearer: oidcBearer, jwt: { enabled: true, secret_key: jwtSecret, ...jwt } },
        },
      },
    }),
  );
  const replicas = await Promise.all(Array.from({ length: admins - 1 }, () => stack.startReplica("admin")));
  const gateways = await Promise.all(
    Array.from({ length: gatewayCount - 1 }, (_, index) => {
      const { url = stack.adminUrl } = replicas[index] ?? {};
      return stack.startReplica("gateway", { SERVICE_RUNTIME_SERVICES_ADMIN_URL: url });
    }),
  );
  const { redis, gateway, engines, services } = stack;
  const admin = services.get("admin");
  if (redis === undefined || admin === undefined) throw new Error("the stack has no Redis or no admin");
  const owned = started.move();
  return {
    url: stack.url,
    adminUrls: [stack.adminUrl, ...replicas.map(({ url }) => url)],
    issuer,
    redis,
    get nats() {
      return stack.nats;
    },
    services: [...engines, admin, ...[...replicas, ...gateways].map(({ process }) => process), gateway],
    gateway,
    gateways: [{ url: stack.url, process: gateway }, ...gateways],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

export { assertionSecret };
