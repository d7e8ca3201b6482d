import { type DisabledEndpoint, disabledEndpoints, operation } from "@postern/shared/contracts";
import { type AttributeFilter, createAttributeFilter, secretFields } from "@postern/shared/domain/released-attributes";
import type { Config } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import {
  type AssertionAudience,
  type AssertionKey,
  callerChallenges,
  type ListenerTls,
  type SiteNames,
} from "@postern/shared/platform/http";
import { createCidrSet, type HostPort, parseHostPort } from "@postern/shared/platform/net";
import { type BasicCheck, createBasicCheck } from "./callers/basic.ts";
import { basicCallerNames, basicCallers } from "./callers/basic.ts";
import type { BearerCheck } from "./callers/bearer.ts";
import { type CallerCheck, createCallerCheck } from "./callers/authenticate.ts";
import type { RequestHeaderNames } from "./dialects/header-fields.ts";
import { type OauthFailureSettings, oauthFailureSettings } from "./dialects/oauth-failure.ts";
import type { ProxySettings } from "./dialects/proxy.ts";
import { type GrpcSettings, grpcSettings } from "./grpc/grpc-settings.ts";
import type { AccountDelaySettings } from "./limits/account-delays.ts";
import { type Rate, rateOf } from "./limits/token-buckets.ts";
import type { CertificateHeaders } from "./connection/certificates.ts";
import type { BodyParserSettings } from "./http/body.ts";
import type { TrustSettings } from "./connection/addresses.ts";
import { type PublicStatusSettings, publicStatusSettings } from "./public-status/settings.ts";
import type { MetricsRouteSettings } from "./probes.ts";
import { healthCheckSettings } from "./upstream-health/settings.ts";
import type { HealthCheckSettings } from "./upstream-health/target.ts";

/** Configuration that the gateway uses until it ends. */
export interface GatewaySettings {
  readonly identifier: string;
  readonly addresses: readonly HostPort[];
  /** Empty if both channels share the listeners. */
  readonly frontAddresses: readonly HostPort[];
  /** Empty if there is no console. */
  readonly consoleAddresses: readonly HostPort[];
  readonly privateAddress: string;
  readonly tls: ListenerTls | undefined;
  /** Listener that asks OIDC clients for certificates. Empty if there is none. */
  readonly certificateAddresses: readonly HostPort[];
  readonly certificateTls: ListenerTls | undefined;
  readonly certificateHeaders: CertificateHeaders;
  /** Whether each connection begins with a PROXY protocol header. */
  /** The listeners that require a PROXY protocol header. */
  readonly proxyProtocol: ReadonlySet<string>;
  /** Absent if the listener is disabled. */
  readonly grpc: GrpcSettings | undefined;
  readonly maxBodyBytes: number;
  readonly requestTimeoutMs: number;
  readonly forwardTimeoutMs: number;
  /** Whether the identity provider has pages. */
  readonly servesPages: boolean;
  readonly origins: Readonly<Record<AssertionAudience, string>>;
  readonly assertion: AssertionKey;
  readonly siteNames: SiteNames;
  /** Whether `GET /api/v1/auth/basic` exists. */
  readonly basicEndpoint: boolean;
  /** Absent if customers cannot see the status. */
  readonly publicStatus: PublicStatusSettings | undefined;
  readonly requestHeaders: RequestHeaderNames;
  readonly decompression: BodyParserSettings;
  readonly keyPrefix: string;
  readonly rateLimited: boolean;
  readonly maxConcurrentRequests: number;
}

/** Settings that a reload replaces together. */
export interface LiveGatewaySettings extends TrustSettings {
  readonly checkCaller: CallerCheck;
  /** The names of all callers with Basic credentials. */
  readonly callerNames: readonly string[];
  /** `WWW-Authenticate` values for rejected callers. */
  readonly challenges: readonly string[];
  readonly disabledEndpoints: ReadonlySet<DisabledEndpoint>;
  readonly decisionTimeoutMs: number;
  /** Whether `/api/v1/auth-policy` exists. */
  readonly authPolicyEndpoint: boolean;
  readonly metricsRoute: MetricsRouteSettings;
  readonly rate: Rate;
  readonly passwordRate: Rate;
  /** Prefix length of the IPv6 network that counts as one client. */
  readonly ipv6Prefix: number;
  /** Excludes second factors, whatever their attributes are called in the backends. */
  readonly releasable: AttributeFilter;
  readonly proxy: ProxySettings;
  readonly healthChecks: HealthCheckSettings;
  readonly accountDelays: AccountDelaySettings;
  readonly oauthFailure: OauthFailureSettings | undefined;
  /** Custom hooks that need no authentication. */
  readonly publicHookPaths: ReadonlySet<string>;
}

type BasicConfig = { readonly enabled: boolean; readonly username: string; readonly password: string };

function basicCheck({ enabled, username, password }: BasicConfig): BasicCheck | undefined {
  return enabled ? createBasicCheck({ username, password: new Secret(password) }) : undefined;
}

/** Limit for a request body after decompression. */
const maxExpandedBytes = 1_048_576;

/** Includes time for an owner that calls other services. */
const forwardTimeoutMs = 30_000;

function hostPorts(texts: readonly string[]): readonly HostPort[] {
  return texts.flatMap((text) => parseHostPort(text) ?? []);
}

type TlsConfig = Config["runtime"]["servers"]["http"]["tls"];

function listenerTls(tls: TlsConfig): ListenerTls | undefined {
  const { enabled, cert, key, ca_file, min_tls_version, cipher_suites: cipherSuites, curves } = tls;
  if (!enabled) return undefined;
  const minVersion = min_tls_version === "TLS1.3" ? "TLSv1.3" : "TLSv1.2";
  return {
    certFile: cert,
    keyFile: key,
    caFile: ca_file === "" ? undefined : ca_file,
    minVersion,
    cipherSuites,
    curves,
  };
}

type HttpConfig = Config["runtime"]["servers"]["http"];

const proxiedListeners = ["backchannel", "frontend", "console", "client_certificates"] as const;

export type ProxiedListener = (typeof proxiedListeners)[number];

function proxyProtocol({ haproxy_v2: isOn, haproxy_v2_listeners: listeners }: HttpConfig): ReadonlySet<string> {
  if (!isOn) return new Set();
  return new Set(listeners.length === 0 ? proxiedListeners : listeners);
}

function certificateSettings({ client_certificates: config, tls }: HttpConfig) {
  const common = listenerTls(tls);
  return {
    certificateAddresses: hostPorts(config.address),
    certificateTls: common && {
      ...common,
      caFile: config.ca_file === "" ? undefined : config.ca_file,
      acceptsAnyClient: true,
    },
    certificateHeaders: { certificate: config.header.toLowerCase(), verify: config.verify_header.toLowerCase() },
  };
}

export function gatewaySettings(config: Config): GatewaySettings {
  const { naming, servers, services } = config.runtime;
  return {
    identifier: naming.identifier,
    addresses: hostPorts(servers.http.address),
    frontAddresses: hostPorts(servers.http.frontend_address),
    consoleAddresses: hostPorts(servers.http.console_address),
    grpc: grpcSettings(config),
    privateAddress: services.gateway.private_address,
    tls: listenerTls(servers.http.tls),
    ...certificateSettings(servers.http),
    proxyProtocol: proxyProtocol(servers.http),
    maxBodyBytes: servers.http.max_body_bytes,
    requestTimeoutMs: servers.http.request_timeout,
    forwardTimeoutMs,
    servesPages: config.identity.frontend.enabled,
    origins: { admin: new URL(services.admin.url).origin, idp: new URL(services.idp.url).origin },
    assertion: {
      secret: new Secret(services.caller_assertion.secret),
      ttlSeconds: Math.ceil(services.caller_assertion.ttl / 1000),
    },
    siteNames: {
      identifier: naming.identifier,
      proxySegment: naming.proxy_segment,
      saslSegment: naming.sasl_segment,
    },
    basicEndpoint: servers.http.auth_basic_endpoint,
    publicStatus: publicStatusSettings(config),
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

function proxySettings({ response, upstreams }: Config["auth"]): ProxySettings {
  const known = Object.entries(upstreams).filter(([, { address }]) => address !== "");
  const { proxy_denial_text: denialText, proxy_response_codes: responseCodes } = response;
  return { denialText, responseCodes, upstreams: new Map(known) };
}

function accountDelaySettings({ auth, runtime }: Config): AccountDelaySettings {
  const { account_delay: delay, without_client: withoutClient } = auth.controls.brute_force;
  return {
    maxWaiting: delay.max_waiting,
    maxWaitingWithoutClient: withoutClient.max_waiting,
    decisionTimeoutMs: runtime.timeouts.decision,
  };
}

/** `bearer` contains caches and connections, so it is kept across reloads. */
export function liveGatewaySettings(config: Config, bearer: BearerCheck | undefined): LiveGatewaySettings {
  const { runtime, auth, observability } = config;
  const { timeouts, servers } = runtime;
  const { headers } = auth.request;
  const basic = basicCallers(auth.backchannel);
  const { endpoint_enabled: enabled, endpoint_auth } = observability.metrics;
  return {
    trustedProxies: createCidrSet(servers.http.trusted_proxies),
    clientHeaders: { clientIp: headers.client_ip.toLowerCase(), clientPort: headers.client_port.toLowerCase() },
    checkCaller: createCallerCheck({
      basic,
      bearer,
      openWhenUnconfigured: runtime.developer_mode,
    }),
    callerNames: basicCallerNames(auth.backchannel),
    challenges: callerChallenges({
      basic: basic !== undefined,
      bearer: bearer !== undefined,
    }),
    disabledEndpoints: new Set(disabledEndpoints.filter((key) => servers.http.disabled_endpoints[key])),
    decisionTimeoutMs: timeouts.decision,
    authPolicyEndpoint: servers.http.auth_policy_endpoint,
    passwordRate: rateOf({
      perSecond: servers.http.rate_limit.password_failures.per_minute / 60,
      burst: servers.http.rate_limit.password_failures.burst,
    }),
    rate: rateOf({ perSecond: servers.http.rate_limit.per_second, burst: servers.http.rate_limit.burst }),
    ipv6Prefix: servers.http.rate_limit.ipv6_prefix,
    metricsRoute: { enabled, basic: basicCheck(endpoint_auth.basic) },
    releasable: createAttributeFilter(secretFields(config)),
    proxy: proxySettings(auth),
    healthChecks: healthCheckSettings(auth.services),
    accountDelays: accountDelaySettings(config),
    oauthFailure: oauthFailureSettings(config),
    publicHookPaths: new Set(
      auth.controls.lua.hooks
        .filter((hook) => hook.public)
        .map(({ http_location }) => `${operation("getCustomHook").family.prefix}/${http_location}`),
    ),
  };
}
