import ipaddr from "ipaddr.js";
import { validatedOperations } from "../../../contracts/admin/flush-operations.ts";
import { tls12Suites, tlsGroups } from "../../net/tls-names.ts";
import { messages } from "../messages.ts";
import { checkDefaultDomain, checkEnabled, checkFilled, checkNames, checkServed, type Judgement } from "./checks.ts";
import { duration, entries, flag, integer, liveSection, section, text, texts } from "./fields.ts";
import type { Config, HttpServerConfig } from "./root.ts";
import { ServerTls } from "./servers.ts";

const endpoint = (what: string) => flag(`Whether ${what} are answered with 404.`);

const DisabledEndpoints = liveSection("Endpoints of the back channel that can be disabled.", {
  auth_header: endpoint("requests in the `header` dialect"),
  auth_json: endpoint("requests in the `json` dialect"),
  auth_cbor: endpoint("requests in the `cbor` dialect"),
  auth_basic: endpoint("requests in the `basic` dialect"),
  auth_proxy: endpoint("requests in the `proxy` dialect"),
  auth_sasl: endpoint("requests in the `sasl` dialect"),
  auth_jwt: endpoint("requests to the JWT endpoints"),
  custom_hooks: flag("Whether requests for custom hooks are answered with 403."),
  configuration: endpoint("requests for the loaded configuration"),
});

const Middlewares = section("Checks and decoders that each request passes through.", {
  rate: flag("Whether the rate limit and the failure budget apply.", { default: true }),
  limit: flag("Whether auth.pipeline.max_concurrent_requests limits concurrent requests.", { default: true }),
  request_decompression: flag("Whether request bodies may be compressed with gzip, Brotli or Zstandard.", {
    default: true,
  }),
});

const RateLimit = liveSection(
  "Limit for each client address: failed caller authentications, and requests of routes without caller authentication (token bucket). Authenticated callers are not limited.",
  {
    per_second: integer(
      100,
      "Number of failures, or of requests without caller authentication, that a client address may sustain per second.",
      { unit: "tokens/s", minimum: 1 },
    ),
    burst: integer(200, "Number of such failures or requests that a client address may send in one burst.", {
      unit: "tokens",
      minimum: 1,
    }),
    password_failures: section(
      "Limit on wrong passwords from one client address at POST /api/v1/jwt/token, in addition to the failure budget. It applies to the address and never locks a user name. Wrong passwords also count under the brute-force rules, with the protocol `jwt`, but these rules never refuse the correct password of one of auth.backchannel.jwt.users.",
      {
        per_minute: integer(10, "Number of wrong passwords per minute that a client address may sustain.", {
          unit: "failures/min",
          minimum: 1,
        }),
        burst: integer(20, "Number of wrong passwords that a client address may send in one burst.", {
          unit: "failures",
          minimum: 1,
          maximum: 1000,
        }),
      },
    ),
    ipv6_prefix: integer(64, "Prefix length of the IPv6 network that counts as one client address.", {
      unit: "bits",
      minimum: 16,
      maximum: 128,
    }),
  },
);

const OpenapiValidation = liveSection("Validation of requests against the OpenAPI document before they are handled.", {
  enabled: flag("Whether requests are validated."),
  enforce: flag("Whether an invalid request is rejected with 400. If false, it is only logged."),
  operations: texts(
    "Operations to validate: flushUserCache, enqueueUserCacheFlush, flushBruteForceRule, enqueueBruteForceRuleFlush, listBruteForceEntries or listFilteredBruteForceEntries.",
  ),
});

const ClientCertificates = section(
  "Certificates of OIDC clients (mutual TLS, RFC 8705), by a listener of the gateway or by a trusted proxy.",
  {
    address: texts(
      "Addresses of a listener that asks clients for a certificate. It requires tls.enabled. Use it for applications only, because browsers would ask their users for one.",
      { form: "host-port" },
    ),
    ca_file: text(
      "Path of the PEM file with the CA certificates for clients with tls_client_auth. If empty, only self-signed certificates can be used.",
    ),
    header: text(
      "Header in which a trusted proxy passes the client's certificate: Base64 of DER between colons (RFC 9440), or PEM with percent-encoding (nginx `$ssl_client_escaped_cert`). If empty, none is read. The proxy must remove this header from requests of its clients.",
      { maxLength: 64 },
    ),
    verify_header: text(
      "Header in which the trusted proxy passes `SUCCESS` if a CA that it trusts issued the certificate (nginx `$ssl_client_verify`). Clients with tls_client_auth need it.",
      { maxLength: 64 },
    ),
  },
);

const DomainListener = section("A listener with a default domain.", {
  address: text("Address and port.", { form: "host-port" }),
  default_domain: text(
    "Domain of user names without one. The default domain of an API caller takes precedence, and this one takes precedence over auth.domains.default_domain.",
  ),
});

export const HttpServer = section("HTTP listeners of the gateway.", {
  address: texts("Addresses of the back channel. While frontend_address is empty, they serve the front channel too.", {
    default: ["127.0.0.1:9080"],
    form: "host-port",
    minItems: 1,
  }),
  domain_listeners: entries(
    "More listeners of the back channel, for mail servers whose users sign in without a domain. They have the settings of `address`.",
    DomainListener,
  ),
  frontend_address: texts(
    "Addresses of the front channel (sign-in pages, OpenID Connect, SAML), including /ping and /healthz. If empty, the back channel's addresses serve it.",
    { form: "host-port" },
  ),
  console_address: texts(
    "Addresses of the listener that serves the console for operators, and nothing else. If empty, there is no console.",
    { form: "host-port" },
  ),
  trusted_proxies: texts(
    "Addresses and networks of the trusted proxies. Client-address headers are accepted only from these.",
    { default: ["127.0.0.1", "::1"], form: "network", reload: "live" },
  ),
  haproxy_v2: flag(
    "Whether each connection begins with a PROXY protocol header, version 1 or 2, of a trusted proxy. The gateway closes all other connections.",
  ),
  haproxy_v2_listeners: texts(
    "The listeners that haproxy_v2 applies to: backchannel (address and domain_listeners), frontend (frontend_address), console (console_address) and client_certificates (client_certificates.address). If empty, to all of them.",
  ),
  disabled_endpoints: DisabledEndpoints,
  auth_policy_endpoint: flag(
    "Whether /api/v1/auth-policy is available, the auth-policy protocol of Dovecot and weakforced for mail servers that verify passwords themselves.",
    { reload: "live" },
  ),
  public_status: flag(
    "Whether /status and /status.json on the front channel tell everyone whether sign-in works, and since when it has been degraded.",
  ),
  auth_basic_endpoint: flag("Whether GET /api/v1/auth/basic is available."),
  middlewares: Middlewares,
  rate_limit: RateLimit,
  openapi_validation: OpenapiValidation,
  tls: ServerTls,
  client_certificates: ClientCertificates,
  max_body_bytes: integer(
    1_048_576,
    "Maximum size of a request body. After decompression, it may have at most this size or 1 MiB, whichever is smaller.",
    { unit: "bytes", minimum: 1024, maximum: 16_777_216 },
  ),
  request_timeout: duration("10s", "Time within which a whole request must arrive.", { minimum: 100 }),
});

const root = "runtime.servers.http";

export function validateHttp(config: Config, judgement: Judgement): void {
  const { http } = config.runtime.servers;
  const { rate_limit, openapi_validation, client_certificates: certificates, tls } = http;
  const { problem } = judgement;
  if (rate_limit.burst < rate_limit.per_second) problem(`${root}.rate_limit.burst`, messages.burstBelowRate);
  checkFilled(http.domain_listeners, `${root}.domain_listeners`, "address", judgement);
  http.domain_listeners.forEach(({ default_domain: name }, index) => {
    checkDefaultDomain(config, name, `${root}.domain_listeners[${index}].default_domain`, judgement);
    if (name === "") problem(`${root}.domain_listeners[${index}].default_domain`, messages.required);
  });
  validateTls(http, judgement);
  validateProxies(http, judgement);
  const { operations } = openapi_validation;
  checkNames(operations, validatedOperations, `${root}.openapi_validation.operations`, (path, name, hint) =>
    problem(path, messages.notValidated(name), hint),
  );
  if (certificates.address.length > 0 && !tls.enabled) {
    problem(`${root}.tls.enabled`, messages.needsWhen(`${root}.client_certificates.address is set`));
  }
  if (certificates.verify_header !== "" && certificates.header === "") {
    const condition = `${root}.client_certificates.verify_header is set`;
    problem(`${root}.client_certificates.header`, messages.needsWhen(condition));
  }
}

function validateTls({ tls }: HttpServerConfig, judgement: Judgement): void {
  if (!tls.enabled) return;
  checkEnabled(tls, `${root}.tls`, ["cert", "key"], judgement);
  checkServed(tls.cipher_suites, Object.keys(tls12Suites), `${root}.tls.cipher_suites`, judgement);
  checkServed(tls.curves, tlsGroups, `${root}.tls.curves`, judgement);
}

/** Shorter than any network that one operator owns. */
const shortestPrefix = { ipv4: 8, ipv6: 16 };

function isEverybody(network: string): boolean {
  if (!ipaddr.isValidCIDR(network)) return false;
  const [address, bits] = ipaddr.parseCIDR(network);
  return bits < shortestPrefix[address.kind()];
}

/** Trusted proxies, and the PROXY protocol: a listener that does not exist would leave another one unprotected. */
function validateProxies(http: HttpServerConfig, { problem, warning }: Judgement): void {
  http.trusted_proxies.forEach((network, index) => {
    if (isEverybody(network)) warning(`${root}.trusted_proxies[${index}]`, messages.trustsEverybody);
  });
  const path = `${root}.haproxy_v2_listeners`;
  const addresses: Readonly<Record<string, readonly [key: string, addresses: readonly string[]]>> = {
    backchannel: ["address", http.address],
    frontend: ["frontend_address", http.frontend_address],
    console: ["console_address", http.console_address],
    client_certificates: ["client_certificates.address", http.client_certificates.address],
  };
  http.haproxy_v2_listeners.forEach((name, index) => {
    const listener = Object.hasOwn(addresses, name) ? addresses[name] : undefined;
    if (listener === undefined) {
      problem(`${path}[${index}]`, messages.mustBe(`one of ${Object.keys(addresses).join(", ")}`));
    } else if (listener[1].length === 0) {
      problem(`${root}.${listener[0]}`, messages.needsWhen(`${path} contains ${name}`));
    }
  });
  if (http.haproxy_v2_listeners.length > 0 && !http.haproxy_v2) warning(path, messages.needsProxyProtocol);
}
