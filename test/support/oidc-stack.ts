import { Secret } from "@postern/shared/crypto";
import { callerAssertionHeader, createCallerSigner } from "@postern/shared/http";
import { freePort } from "@postern/shared/testing";
import { type ServiceProcess, startService, untilReady } from "./service-process.ts";
import { type Stack, startStack } from "./stack.ts";
import { assertionSecret, type Tree } from "./stack-config.ts";

export const callback = "http://127.0.0.1:8090/callback";
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const users = ["openid", "profile", "email", "offline_access"];

/** The demo's clients, and some with rules of their own. */
export const testClients: readonly Tree[] = [
  {
    client_id: "demo-web",
    client_secret: "demo-web-secret",
    redirect_uris: [callback],
    scopes: users,
    grant_types: ["authorization_code"],
    skip_consent: true,
  },
  {
    client_id: "demo-jwt",
    client_secret: "demo-jwt-secret",
    redirect_uris: [callback],
    scopes: users,
    grant_types: ["authorization_code"],
    skip_consent: true,
    access_token_type: "jwt",
    id_token_signed_response_alg: "ES256",
  },
  { client_id: "demo-spa", redirect_uris: [callback], scopes: users, skip_consent: true },
  {
    client_id: "demo-consent",
    client_secret: "demo-consent-secret",
    name: "Demo mail",
    redirect_uris: [callback],
    scopes: users,
    consent_mode: "granular_optional",
    optional_scopes: ["profile"],
  },
  { client_id: "demo-device", scopes: users, grant_types: [deviceGrant] },
  {
    client_id: "demo-m2m",
    client_secret: "demo-m2m-secret",
    scopes: ["service:authenticate", "service:security"],
    grant_types: ["client_credentials"],
  },
  {
    client_id: "demo-dovecot",
    client_secret: "demo-dovecot-secret",
    resource_server: true,
    scopes: [],
    grant_types: [],
  },
];

export interface OidcStack extends AsyncDisposable {
  readonly stack: Stack;
  /** The issuer, which is the gateway. */
  readonly issuer: string;
  /** Each replica's own listener. */
  readonly replicas: readonly string[];
  /** A request to one of the replicas, as the gateway would pass it on. */
  ask(replica: number, path: string, init?: RequestInit): Promise<Response>;
}

/** A gateway, an engine and two identity providers on one Redis; with `oauthbearer` two engines that take tokens. */
export async function startOidcStack(
  clients: readonly Tree[] = testClients,
  settings: Tree = {},
  oauthbearer?: Tree,
): Promise<OidcStack> {
  await using started = new AsyncDisposableStack();
  const httpPort = await freePort();
  const issuer = `http://127.0.0.1:${httpPort}`;
  const stack = started.use(
    await startStack({
      redis: true,
      engines: oauthbearer === undefined ? 1 : 2,
      httpPort,
      services: ["idp"],
      settings: {
        runtime: { servers: { http: { rate_limit: { per_second: 10_000, burst: 10_000 } } } },
        auth: {
          backchannel: { oidc_bearer: { enabled: true, issuer, revocation_ttl: "200ms" } },
          ...(oauthbearer !== undefined && { oauthbearer: { enabled: true, ...oauthbearer } }),
        },
        identity: {
          frontend: { enabled: true },
          oidc: { enabled: true, issuer, clients, device_flow: { polling_interval: 1 }, ...settings },
        },
      },
    }),
  );
  const port = await freePort();
  const second: ServiceProcess = started.use(
    await startService("idp", {
      configFile: stack.configFile,
      privatePort: await freePort(),
      env: { SERVICE_RUNTIME_SERVICES_IDP_ADDRESS: `127.0.0.1:${port}` },
    }),
  );
  await untilReady(second);
  const replicas = [stack.idpUrl, `http://127.0.0.1:${port}`];
  const sign = createCallerSigner({ secret: new Secret(assertionSecret), ttlSeconds: 30 });
  const owned = started.move();
  return {
    stack,
    issuer,
    replicas,
    ask: async (replica, path, init = {}) => {
      const headers = new Headers(init.headers);
      const caller = { method: "none", scopes: [], clientIp: "127.0.0.1", session: "test" } as const;
      headers.set(callerAssertionHeader, await sign(caller, "idp"));
      return fetch(`${replicas[replica]}${path}`, { redirect: "manual", ...init, headers });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
