import { Secret } from "@postern/shared/platform/crypto";
import { callerAssertionHeader, createCallerSigner } from "@postern/shared/platform/http";
import { freePort } from "@postern/testing";
import type { ServiceProcess } from "./service-process.ts";
import { type Stack, type StackOptions, startStack } from "./stack.ts";
import { assertionSecret, demoBackends, merged, type Tree } from "./stack-config.ts";

export const callback = "http://127.0.0.1:8090/callback";
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const users = ["openid", "profile", "email", "offline_access"];

/** The demo's clients, and some with other settings. */
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
    initiate_login_uri: "https://mail.example.test/login",
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
  /** The issuer, which is the address of the gateway. */
  readonly issuer: string;
  /** The listeners of two replicas, which are one listener in a stack of one process. */
  readonly replicas: readonly string[];
  /** The process of each replica, in the same order. */
  readonly processes: readonly ServiceProcess[];
  /** Sends a request to one replica, as the gateway forwards it. */
  ask(replica: number, path: string, init?: RequestInit): Promise<Response>;
}

/** Optional parts of a stack. */
export interface OidcStackMore extends Pick<StackOptions, "gateway" | "shape"> {
  /** `auth.backchannel.oidc_bearer.audience`; empty for the default. */
  readonly audience?: string;
  /** Engines accept tokens as passwords, with these keys of `auth.oauthbearer`. */
  readonly oauthbearer?: Tree;
  readonly developerMode?: boolean;
  /** Maps the demo's `uid` as the unique user identifier. */
  readonly mapsUniqueId?: boolean;
  /** Merged into `identity`. */
  readonly identity?: Tree;
  /** Merged into `runtime.servers.http`. */
  readonly http?: Tree;
  readonly engines?: number;
  /** Additional environment variables of every service. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Merged into the whole configuration, last. */
  readonly more?: Tree;
}

/** The demo's SQL search with the unique user identifier mapped. */
function mappedSearch(): Tree {
  const { sql } = Object(demoBackends(""));
  const [search] = sql.search;
  return { sql: { search: [merged(search, { mapping: { unique_user_id_field: "uid" } })] } };
}

/** Sends requests to the listeners of idp as the gateway forwards them. */
export function askReplicas(replicas: readonly string[]): OidcStack["ask"] {
  const sign = createCallerSigner({ secret: new Secret(assertionSecret), ttlSeconds: 30 });
  return async (replica, path, init = {}) => {
    const headers = new Headers(init.headers);
    const caller = { method: "none", scopes: [], clientIp: "127.0.0.1", session: "test" } as const;
    headers.set(callerAssertionHeader, await sign(caller, "idp"));
    return fetch(`${replicas[replica]}${path}`, { redirect: "manual", ...init, headers });
  };
}

async function idpsOf(stack: Stack): Promise<Pick<OidcStack, "replicas" | "processes">> {
  const first = stack.service("idp");
  if (stack.isOneProcess) return { replicas: [stack.idpUrl, stack.idpUrl], processes: [first] };
  const second = await stack.startReplica("idp");
  return { replicas: [stack.idpUrl, second.url], processes: [first, second.process] };
}

/** Starts an engine, idp (two replicas with `shape: "five"`), a Redis, and a gateway unless `gateway` is false. */
export async function startOidcStack(
  clients: readonly Tree[] = testClients,
  settings: Tree = {},
  {
    oauthbearer,
    developerMode = false,
    mapsUniqueId,
    identity,
    http,
    audience = "",
    engines = 1,
    env,
    gateway,
    shape,
    more = {},
  }: OidcStackMore = {},
): Promise<OidcStack> {
  await using started = new AsyncDisposableStack();
  const httpPort = await freePort();
  const issuer = `http://127.0.0.1:${httpPort}`;
  const stack = started.use(
    await startStack({
      redis: true,
      engines,
      httpPort,
      env,
      gateway,
      shape,
      services: ["idp"],
      settings: merged(
        {
          runtime: {
            developer_mode: developerMode,
            servers: { http: { rate_limit: { per_second: 10_000, burst: 10_000 }, ...http } },
          },
          auth: {
            backchannel: { oidc_bearer: { enabled: true, issuer, audience, revocation_ttl: "200ms" } },
            ...(oauthbearer !== undefined && { oauthbearer: { enabled: true, ...oauthbearer } }),
            ...(mapsUniqueId === true && { backends: mappedSearch() }),
          },
          identity: {
            frontend: { enabled: true },
            oidc: { enabled: true, issuer, clients, device_flow: { polling_interval: 1 }, ...settings },
            ...identity,
          },
        },
        more,
      ),
    }),
  );
  const { replicas, processes } = await idpsOf(stack);
  const owned = started.move();
  return {
    stack,
    issuer,
    replicas,
    processes,
    ask: askReplicas(replicas),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
