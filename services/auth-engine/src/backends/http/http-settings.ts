import { type Config, httpPoolsOf } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import { authProtocol } from "@postern/shared/platform/grpc";
import { headerPrefix } from "@postern/shared/platform/http";
import { breakerSettings, optional, type Settings, tlsSettings } from "../servers/server-settings.ts";

type PoolConfig = ReturnType<typeof httpPoolsOf>[number]["pool"];

/** How this site authenticates at the other server; undefined if only by its client certificate, or not at all. */
function callerSettings({ basic, bearer_token: token, oauth }: PoolConfig) {
  if (basic.username !== "") {
    return { kind: "basic", username: basic.username, password: new Secret(basic.password) } as const;
  }
  if (token !== "") return { kind: "bearer", token: new Secret(token) } as const;
  if (oauth.token_url === "") return undefined;
  const { token_url: tokenUrl, client_id: clientId, client_secret: secret, scope } = oauth;
  return { kind: "oauth", tokenUrl, clientId, clientSecret: new Secret(secret), scope } as const;
}

function poolSettings(name: string, pool: PoolConfig, identifier: string) {
  const { headers } = pool;
  const isGrpc = pool.format === "grpc";
  return {
    name,
    urls: pool.url,
    /** Of a body. An answer over gRPC is written as JSON. */
    format: pool.format === "cbor" ? "cbor" : ("json" as "cbor" | "json"),
    isGrpc,
    /** The gRPC service at an address without a path. */
    service: authProtocol(identifier).serviceName,
    /** Protocols for which the server is asked; empty means all. */
    protocols: pool.protocol,
    denialStatus: isGrpc ? 403 : Number(pool.denial_status),
    caller: callerSettings(pool),
    /** Names of response headers, in lower case. */
    headers: {
      status: headers.status.toLowerCase(),
      session: headers.session.toLowerCase(),
      wait: headers.wait.toLowerCase(),
    },
    /** By default the header that this site reads, so that it recognises its own requests. */
    hopsHeader: headers.hops || `${headerPrefix(identifier)}Hops`,
    maxHops: pool.max_hops,
    tls: { ...tlsSettings(pool), serverName: optional(pool.tls_server_name) },
    poolSize: pool.pool_size,
    queueLength: pool.queue_length,
    connectTimeoutMs: pool.connect_timeout,
    requestTimeoutMs: pool.request_timeout,
    maxResponseBytes: pool.max_response_bytes,
    breaker: breakerSettings(pool),
    healthCheckIntervalMs: pool.health_check_interval,
    healthCheckUser: pool.health_check_user,
    healthCheckProtocol: pool.health_check_protocol || (pool.protocol.find((one) => one !== "*") ?? "imap"),
  };
}

export type HttpBackendSettings = Settings<ReturnType<typeof poolSettings>>;
export type CallerSettings = NonNullable<HttpBackendSettings["caller"]>;

/** `http` and `http(pool)`; undefined for any other entry of `auth.backends.order`. */
export function httpBackendSettings({ auth, runtime }: Config, name: string): HttpBackendSettings | undefined {
  const found = httpPoolsOf(auth.backends).find(({ entry }) => entry === name.trim());
  return found && poolSettings(name, found.pool, runtime.naming.identifier);
}
