import type { Config } from "@postern/shared/config";
import type { Dialect } from "@postern/shared/contracts";
import { Secret } from "@postern/shared/crypto";
import type { AssertionAudience, AssertionKey, ListenerTls } from "@postern/shared/http";
import { createCidrSet, type HostPort, parseHostPort } from "@postern/shared/net";
import { healthCheckSettings } from "./backend-health/settings.ts";
import type { HealthCheckSettings } from "./backend-health/target.ts";
import { type BasicCheck, createBasicCheck } from "./caller-auth/basic.ts";
import type { BearerCheck } from "./caller-auth/bearer.ts";
import { type CallerCheck, createCallerCheck } from "./caller-auth/check-caller.ts";
import type { RequestHeaderNames } from "./dialects/header-fields.ts";
import type { ProxySettings } from "./dialects/proxy.ts";
import { type AttributeFilter, createAttributeFilter } from "./dialects/secret-attributes.ts";
import { type GrpcSettings, grpcSettings } from "./grpc/grpc-settings.ts";
import { type Rate, rateOf } from "./limits/gcra.ts";
import type { BodyParserSettings } from "./plugins/decompress-body.ts";
import type { TrustSettings } from "./plugins/request-address.ts";
import type { MetricsRouteSettings } from "./routes/operations/get-metrics.ts";

/** What the gateway needs of the configuration and keeps until it ends. */
export interface GatewaySettings {
  readonly identifier: string;
  readonly addresses: readonly HostPort[];
  /** Empty when both channels share the listeners. */
  readonly frontAddresses: readonly HostPort[];
  readonly privateAddress: string;
  readonly tls: ListenerTls | undefined;
  /** Absent while the listener is off. */
  readonly grpc: GrpcSettings | undefined;
  readonly maxBodyBytes: number;
  readonly requestTimeoutMs: number;
  readonly forwardTimeoutMs: number;
  readonly origins: Readonly<Record<AssertionAudience, string>>;
  readonly assertion: AssertionKey;
  readonly proxyPath: string;
  readonly saslPath: string;
  /** Whether `GET /api/v1/auth/basic` exists. */
  readonly basicEndpoint: boolean;
  readonly requestHeaders: RequestHeaderNames;
  readonly decompression: BodyParserSettings;
  readonly keyPrefix: string;
  readonly rateLimited: boolean;
  readonly maxConcurrentRequests: number;
}

/** What a reload swaps, as a whole. */
export interface LiveGatewaySettings extends TrustSettings {
  readonly checkCaller: CallerCheck;
  readonly basicName: string;
  /** Values of `WWW-Authenticate` for callers who are refused. */
  readonly challenges: readonly string[];
  readonly disabledDialects: ReadonlySet<Dialect>;
  readonly decisionTimeoutMs: number;
  readonly metricsRoute: MetricsRouteSettings;
  readonly rate: Rate;
  /** Length of the IPv6 network that counts as one client. */
  readonly ipv6Prefix: number;
  /** Holds second factors back, whatever the directories in use call them. */
  readonly releasable: AttributeFilter;
  readonly proxy: ProxySettings;
  readonly healthChecks: HealthCheckSettings;
  /** Custom hooks that everybody may call. */
  readonly publicHookPaths: ReadonlySet<string>;
}

type BasicConfig = { readonly enabled: boolean; readonly username: string; readonly password: string };

function basicCheck({ enabled, username, password }: BasicConfig): BasicCheck | undefined {
  return enabled ? createBasicCheck({ username, password: new Secret(password) }) : undefined;
}

function secretFields({ auth: { backends } }: Config): readonly string[] {
  const ldap = backends.ldap.search.flatMap(({ mapping }) => [
    mapping.totp_secret_field,
    mapping.totp_recovery_field,
    mapping.webauthn_credential_field,
    mapping.app_password_field,
  ]);
  return [...ldap, ...backends.sql.search.map(({ mapping }) => mapping.totp_secret_field)];
}

/** Contract, "Limits": expanded request body after decompression. */
const maxExpandedBytes = 1_048_576;

/** Room for an answer that an owner has to ask others for. */
const forwardTimeoutMs = 30_000;

function hostPorts(texts: readonly string[]): readonly HostPort[] {
  return texts.flatMap((text) => parseHostPort(text) ?? []);
}

type TlsConfig = Config["runtime"]["servers"]["http"]["tls"];

function listenerTls({ enabled, cert, key, ca_file, min_tls_version }: TlsConfig): ListenerTls | undefined {
  if (!enabled) return undefined;
  const minVersion = min_tls_version === "TLS1.3" ? "TLSv1.3" : "TLSv1.2";
  return { certFile: cert, keyFile: key, caFile: ca_file === "" ? undefined : ca_file, minVersion };
}

export function gatewaySettings(config: Config): GatewaySettings {
  const { naming, servers, services } = config.runtime;
  return {
    identifier: naming.identifier,
    addresses: hostPorts(servers.http.address),
    frontAddresses: hostPorts(servers.http.frontend_address),
    grpc: grpcSettings(config),
    privateAddress: services.gateway.private_address,
    tls: listenerTls(servers.http.tls),
    maxBodyBytes: servers.http.max_body_bytes,
    requestTimeoutMs: servers.http.request_timeout,
    forwardTimeoutMs,
    origins: { admin: new URL(services.admin.url).origin, idp: new URL(services.idp.url).origin },
    assertion: {
      secret: new Secret(services.caller_assertion.secret),
      ttlSeconds: Math.ceil(services.caller_assertion.ttl / 1000),
    },
    proxyPath: `/api/v1/auth/${naming.proxy_segment}`,
    saslPath: `/api/v1/auth/${naming.sasl_segment}`,
    basicEndpoint: servers.http.auth_basic_endpoint,
    requestHeaders: config.auth.request.headers,
    decompression: {
      enabled: servers.http.middlewares.request_decompression,
      maxBytes: Math.min(servers.http.max_body_bytes, maxExpandedBytes),
    },
    keyPrefix: config.storage.redis.prefix,
    rateLimited: servers.http.middlewares.rate,
    maxConcurrentRequests: servers.http.middlewares.limit
      ? config.auth.pipeline.max_concurrent_requests
      : Number.POSITIVE_INFINITY,
  };
}

function disabledDialects({ disabled_endpoints: off }: Config["runtime"]["servers"]["http"]): ReadonlySet<Dialect> {
  const switches: readonly [Dialect, boolean][] = [
    ["json", off.auth_json],
    ["cbor", off.auth_cbor],
    ["header", off.auth_header],
    ["basic", off.auth_basic],
    ["proxy", off.auth_proxy],
    ["sasl", off.auth_sasl],
  ];
  return new Set(switches.filter(([, isOff]) => isOff).map(([dialect]) => dialect));
}

function proxySettings({ response, upstreams }: Config["auth"]): ProxySettings {
  const known = Object.entries(upstreams).filter(([, { address }]) => address !== "");
  return { denialText: response.proxy_denial_text, upstreams: new Map(known) };
}

const basicChallenge = 'Basic realm="postern", charset="UTF-8"';
const bearerChallenge = 'Bearer realm="postern"';

function challenges(basicEnabled: boolean, bearer: BearerCheck | undefined): readonly string[] {
  if (bearer === undefined) return [basicChallenge];
  return basicEnabled ? [basicChallenge, bearerChallenge] : [bearerChallenge];
}

/** `bearer` keeps caches and connections, so that it outlives a reload. */
export function liveGatewaySettings(config: Config, bearer: BearerCheck | undefined): LiveGatewaySettings {
  const { runtime, auth, observability } = config;
  const { timeouts, servers } = runtime;
  const { headers } = auth.request;
  const { endpoint_enabled: enabled, endpoint_auth } = observability.metrics;
  return {
    trustedProxies: createCidrSet(servers.http.trusted_proxies),
    clientHeaders: { clientIp: headers.client_ip.toLowerCase(), clientPort: headers.client_port.toLowerCase() },
    checkCaller: createCallerCheck({
      basic: basicCheck(auth.backchannel.basic_auth),
      bearer,
      openWhenUnconfigured: runtime.developer_mode,
    }),
    basicName: auth.backchannel.basic_auth.username,
    challenges: challenges(auth.backchannel.basic_auth.enabled, bearer),
    disabledDialects: disabledDialects(servers.http),
    decisionTimeoutMs: timeouts.decision,
    rate: rateOf({ perSecond: servers.http.rate_limit.per_second, burst: servers.http.rate_limit.burst }),
    ipv6Prefix: servers.http.rate_limit.ipv6_prefix,
    metricsRoute: { enabled, basic: basicCheck(endpoint_auth.basic) },
    releasable: createAttributeFilter(secretFields(config)),
    proxy: proxySettings(auth),
    healthChecks: healthCheckSettings(auth.services),
    publicHookPaths: new Set(
      auth.controls.lua.hooks
        .filter((hook) => hook.public)
        .map(({ http_location }) => `/api/v1/custom/${http_location}`),
    ),
  };
}
