import { disabledEndpoints, operation } from "@postern/shared/contracts";
import { comparableDomain } from "@postern/shared/domain/domains";
import { createAttributeFilter, secretFields } from "@postern/shared/domain/released-attributes";
import type { Config } from "@postern/shared/platform/config";
import { Secret } from "@postern/shared/platform/crypto";
import { callerChallenges, type ListenerTls } from "@postern/shared/platform/http";
import {
  createCidrSet,
  type HostPort,
  parseHostPort,
  recommendedGroups,
  recommendedSuites,
} from "@postern/shared/platform/net";
import { type CallerCheck, createCallerCheck } from "./callers/authenticate.ts";
import { basicCallerNames, basicCallers, createBasicCheck } from "./callers/basic.ts";
import type { BearerCheck } from "./callers/bearer.ts";
import { tokenDomains } from "./callers/caller-domains.ts";
import { oauthFailureSettings } from "./dialects/oauth-failure.ts";
import { proxySettings } from "./dialects/proxy.ts";
import { accountDelaySettings } from "./limits/account-delays.ts";
import { rateOf } from "./limits/token-buckets.ts";
import { publicStatusSettings } from "./public-status/public-status.ts";
import { healthCheckSettings } from "./upstream-health/target.ts";

/** Limit for a request body after decompression. */
const maxExpandedBytes = 1_048_576;

/** Includes time for a service that calls other services. */
const forwardTimeoutMs = 30_000;

function hostPorts(texts: readonly string[]): readonly HostPort[] {
  return texts.flatMap((text) => parseHostPort(text) ?? []);
}

type HttpConfig = Config["runtime"]["servers"]["http"];

function tlsVersion(minimum: string): "TLSv1.2" | "TLSv1.3" {
  return minimum === "TLS1.3" ? "TLSv1.3" : "TLSv1.2";
}

function listenerTls(tls: HttpConfig["tls"]): ListenerTls | undefined {
  if (!tls.enabled) return undefined;
  return {
    certFile: tls.cert,
    keyFile: tls.key,
    caFile: tls.ca_file || undefined,
    minVersion: tlsVersion(tls.min_tls_version),
    cipherSuites: tls.cipher_suites,
    curves: tls.curves,
  };
}

const proxiedListeners = ["backchannel", "frontend", "console", "client_certificates"] as const;

export type ProxiedListener = (typeof proxiedListeners)[number];

function proxyProtocol({ haproxy_v2: isOn, haproxy_v2_listeners: listeners }: HttpConfig): ReadonlySet<string> {
  if (!isOn) return new Set();
  return new Set(listeners.length === 0 ? proxiedListeners : listeners);
}

/** The listener that asks OIDC clients for certificates. Its addresses are empty if there is none. */
function certificateSettings({ client_certificates: config, tls }: HttpConfig) {
  const common = listenerTls(tls);
  return {
    certificateAddresses: hostPorts(config.address),
    certificateTls: common && { ...common, caFile: config.ca_file || undefined, acceptsAnyClient: true },
    certificateHeaders: { certificate: config.header.toLowerCase(), verify: config.verify_header.toLowerCase() },
  };
}

/** `runtime.servers.grpc.authority`; undefined if it is disabled. Without TLS it is plain text, which is allowed on loopback only. */
function grpcSettings({ servers }: Config["runtime"]) {
  const { enabled, address, default_domain: name, tls } = servers.grpc.authority;
  if (!enabled) return undefined;
  const files = {
    certFile: tls.cert,
    keyFile: tls.key,
    /** Undefined: no client certificates are requested. */
    caFile: tls.require_client_cert ? tls.client_ca : undefined,
    minVersion: tlsVersion(tls.min_tls_version),
    // HTTP listeners have the same by default (RFC 9325).
    cipherSuites: recommendedSuites,
    curves: recommendedGroups,
  };
  const listener = name === "" ? null : { defaultDomain: comparableDomain(name) };
  return { address, listener, tls: tls.enabled ? files : undefined, maxRequestBytes: servers.http.max_body_bytes };
}

export type GrpcSettings = NonNullable<ReturnType<typeof grpcSettings>>;

/** Configuration that the gateway uses until it ends. */
export function gatewaySettings(config: Config) {
  const { naming, servers, services } = config.runtime;
  const { middlewares } = servers.http;
  return {
    identifier: naming.identifier,
    addresses: hostPorts(servers.http.address),
    /** Other listeners of the back channel, whose clients mean a domain by names without one. */
    domainListeners: servers.http.domain_listeners.map(({ address, default_domain: name }) => ({
      addresses: hostPorts([address]),
      defaultDomain: comparableDomain(name),
    })),
    /** Empty if both channels share the listeners. */
    frontAddresses: hostPorts(servers.http.frontend_address),
    /** Empty if there is no console. */
    consoleAddresses: hostPorts(servers.http.console_address),
    grpc: grpcSettings(config.runtime),
    privateAddress: services.gateway.private_address,
    tls: listenerTls(servers.http.tls),
    ...certificateSettings(servers.http),
    /** The listeners that require a PROXY protocol header. */
    proxyProtocol: proxyProtocol(servers.http),
    maxBodyBytes: servers.http.max_body_bytes,
    requestTimeoutMs: servers.http.request_timeout,
    forwardTimeoutMs,
    /** `identity.frontend.enabled`: the identity provider has pages, and `/` leads to the account. */
    servesPages: config.identity.frontend.enabled,
    /** The origin of each service behind the gateway, without a path. */
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
    /** Whether `GET /api/v1/auth/basic` exists. */
    basicEndpoint: servers.http.auth_basic_endpoint,
    publicStatus: publicStatusSettings(config),
    requestHeaders: config.auth.request.headers,
    decompression: {
      enabled: middlewares.request_decompression,
      maxBytes: Math.min(servers.http.max_body_bytes, maxExpandedBytes),
    },
    keyPrefix: config.storage.redis.prefix,
    rateLimited: middlewares.rate,
    maxConcurrentRequests: middlewares.limit ? config.auth.pipeline.max_concurrent_requests : Number.POSITIVE_INFINITY,
  };
}

export type GatewaySettings = ReturnType<typeof gatewaySettings>;

/** Custom hooks that need no authentication. */
function publicHookPaths({ hooks }: Config["auth"]["controls"]["lua"]): ReadonlySet<string> {
  const { prefix } = operation("getCustomHook").family;
  return new Set(hooks.filter((hook) => hook.public).map(({ http_location }) => `${prefix}/${http_location}`));
}

/** Who may authenticate over the back channel, and how. */
function callerSettings(config: Config, bearer: BearerCheck | undefined) {
  const { runtime, auth } = config;
  const basic = basicCallers(auth.backchannel);
  const checkCaller: CallerCheck = createCallerCheck({
    basic,
    bearer,
    openWhenUnconfigured: runtime.developer_mode,
    tokenDomains: tokenDomains(config),
  });
  return {
    checkCaller,
    callerNames: basicCallerNames(auth.backchannel),
    /** `WWW-Authenticate` values for rejected callers. */
    challenges: callerChallenges({ basic: basic !== undefined, bearer: bearer !== undefined }),
  };
}

/** `isCaller` is undefined if `observability.metrics.endpoint_auth.basic` is off. */
function metricsRouteSettings({ endpoint_enabled: enabled, endpoint_auth }: Config["observability"]["metrics"]) {
  const { basic } = endpoint_auth;
  return {
    enabled,
    isCaller: basic.enabled ? createBasicCheck(basic.username, new Secret(basic.password)) : undefined,
  };
}

/**
 * Settings that a reload replaces together.
 *
 * @param bearer contains caches and connections, so it is kept across reloads
 */
export function liveGatewaySettings(config: Config, bearer: BearerCheck | undefined) {
  const { runtime, auth, observability } = config;
  const { http } = runtime.servers;
  const { rate_limit: limit } = http;
  const { headers } = auth.request;
  return {
    ...callerSettings(config, bearer),
    trustedProxies: createCidrSet(http.trusted_proxies),
    clientHeaders: { clientIp: headers.client_ip.toLowerCase(), clientPort: headers.client_port.toLowerCase() },
    disabledEndpoints: new Set(disabledEndpoints.filter((key) => http.disabled_endpoints[key])),
    decisionTimeoutMs: runtime.timeouts.decision,
    authPolicyEndpoint: http.auth_policy_endpoint,
    passwordRate: rateOf({
      perSecond: limit.password_failures.per_minute / 60,
      burst: limit.password_failures.burst,
    }),
    rate: rateOf({ perSecond: limit.per_second, burst: limit.burst }),
    /** Prefix length of the IPv6 network that counts as one client. */
    ipv6Prefix: limit.ipv6_prefix,
    metricsRoute: metricsRouteSettings(observability.metrics),
    /** Excludes second factors, whatever their attributes are called in the backends. */
    releasable: createAttributeFilter(secretFields(config)),
    proxy: proxySettings(auth),
    healthChecks: healthCheckSettings(auth.services),
    accountDelays: accountDelaySettings(config),
    oauthFailure: oauthFailureSettings(config),
    publicHookPaths: publicHookPaths(auth.controls.lua),
  };
}

export type LiveGatewaySettings = ReturnType<typeof liveGatewaySettings>;

export type Live = { readonly current: LiveGatewaySettings };
