import { parseHostPort } from "../../net/host-port.ts";
import { isLoopback } from "../../net/ip.ts";
import { messages } from "../messages.ts";
import { checkDefaultDomain, checkEnabled, type Judgement } from "./checks.ts";
import { choice, duration, flag, integer, liveSection, secret, section, text } from "./fields.ts";
import type { Config } from "./root.ts";
import { Bus, validateBus } from "./runtime-bus.ts";
import { Console } from "./runtime-console.ts";
import { HttpServer, validateHttp } from "./runtime-http.ts";
import { Regions, validateRegions } from "./runtime-regions.ts";

const AuthorityTls = section("TLS settings of this listener.", {
  enabled: flag("Whether the listener requires TLS instead of plain text."),
  cert: text("Path of the PEM file with the certificate chain."),
  key: text("Path of the PEM file with the private key."),
  client_ca: text("Path of the PEM file with the CA certificates that client certificates must be issued by."),
  require_client_cert: flag("Whether callers must present a certificate issued by client_ca."),
  min_tls_version: choice(["TLS1.2", "TLS1.3"], "Oldest TLS version that is accepted."),
});

const GrpcServer = section("Listeners of the gateway for gRPC.", {
  authority: section("AuthService, for mail servers that authenticate users over gRPC.", {
    enabled: flag("Whether the listener is open."),
    address: text("Address and port of the listener. Without TLS it must be a loopback address.", {
      default: "127.0.0.1:9444",
      form: "host-port",
      minLength: 1,
    }),
    default_domain: text(
      "Domain of user names without one, unless the API caller has a default domain. If empty, auth.domains.default_domain.",
    ),
    tls: AuthorityTls,
  }),
});

/** Callers send passwords here, so without TLS only this machine may connect. */
function validateGrpc(config: Config, judgement: Judgement): void {
  const { enabled, address, default_domain: name, tls } = config.runtime.servers.grpc.authority;
  const root = "runtime.servers.grpc.authority";
  if (!enabled) return;
  checkDefaultDomain(config, name, `${root}.default_domain`, judgement);
  if (!tls.enabled) {
    const host = parseHostPort(address)?.host;
    if (host !== undefined && !isLoopback(host)) judgement.problem(`${root}.address`, messages.plainOnLoopback);
    return;
  }
  checkEnabled(tls, `${root}.tls`, ["cert", "key"], judgement);
  if (tls.require_client_cert && tls.client_ca === "") {
    judgement.problem(`${root}.tls.client_ca`, messages.needsWhen(`${root}.tls.require_client_cert is true`));
  }
}

const privateAddress = (port: number) =>
  text(
    "Address of the private listener with /healthz, /readyz and /metrics. If empty, the service has no private listener.",
    { default: `127.0.0.1:${port}`, form: "host-port" },
  );

const behindGateway = (privatePort: number, port: number) =>
  section("A service that receives HTTP requests from the gateway.", {
    private_address: privateAddress(privatePort),
    address: text("Address on which the service listens for the gateway.", {
      default: `127.0.0.1:${port}`,
      form: "host-port",
      minLength: 1,
    }),
    url: text("URL under which the gateway reaches the service.", {
      default: `http://127.0.0.1:${port}`,
      form: "http-url",
      minLength: 1,
    }),
  });

const onTheBus = (privatePort: number) =>
  section("Private listener of the service.", { private_address: privateAddress(privatePort) });

const Services = section("Addresses of the five services.", {
  gateway: onTheBus(9101),
  auth_engine: onTheBus(9102),
  idp: behindGateway(9103, 9203),
  admin: behindGateway(9104, 9204),
  jobs_worker: onTheBus(9105),
  caller_assertion: section(
    "Caller assertions, in which the gateway tells idp and admin which caller it has authenticated.",
    {
      secret: secret("Signing key, identical in all services. If it is empty, idp and admin reject every caller.", {
        minLength: 32,
      }),
      ttl: duration("30s", "Lifetime of a caller assertion.", { minimum: 1000, maximum: 300_000 }),
    },
  ),
});

const Naming = section("Names in the HTTP interface that a site can change to match its existing mail servers.", {
  identifier: text("Identifier in header names, scopes, the token audience and metric names.", {
    default: "service",
    form: "identifier",
    minLength: 1,
  }),
  proxy_segment: text("Path segment of the proxy dialect.", { default: "proxy", form: "path-segment", minLength: 1 }),
  sasl_segment: text("Path segment of the SASL dialect.", { default: "sasl", form: "path-segment", minLength: 1 }),
});

const Timeouts = liveSection("Timeouts.", {
  decision: duration(
    "5s",
    "Time within which the gateway must respond to an authentication request. After it, the response is a temporary failure.",
    { minimum: 50 },
  ),
  redis_read: duration("1s", "Timeout of reading the state of a token in Redis.", { minimum: 10, reload: "restart" }),
  redis_write: duration("2s", "Timeout of all other Redis commands, reads included.", {
    minimum: 10,
    reload: "restart",
  }),
  ldap_search: duration("3s", "Timeout of an LDAP search.", { minimum: 10 }),
  ldap_bind: duration("3s", "Timeout of an LDAP bind.", { minimum: 10 }),
  ldap_modify: duration("5s", "Timeout of an LDAP modify operation.", { minimum: 10 }),
  sql_query: duration("3s", "Timeout of an SQL statement.", { minimum: 10 }),
  lua_backend: duration("5s", "Timeout of a script that takes part in a decision.", { minimum: 10 }),
  lua_script: duration("30s", "Timeout of a hook or an action.", { minimum: 10 }),
  shutdown_delay: duration(
    "0s",
    "Time between a service reporting that it is not ready and its listeners closing. Load balancers need it to notice.",
  ),
  shutdown_grace: duration("10s", "Time that requests in progress have to finish when a service stops."),
});

const Jobs = section("Flushes that run as background jobs.", {
  retention: duration("24h", "Time for which the record of a finished job is kept.", {
    minimum: 1000,
    maximum: 2_592_000_000,
  }),
  concurrency: integer(8, "Number of jobs that one worker runs concurrently.", { minimum: 1, maximum: 256 }),
  max_queued: integer(100_000, "Maximum number of waiting jobs. Further jobs are rejected.", { minimum: 1 }),
});

export const Runtime = section("Listeners, names, timeouts and connections of the services.", {
  instance_name: text("Name of this installation in logs and metrics.", { default: "postern", minLength: 1 }),
  developer_mode: flag(
    "Whether developer mode is on: developer pages are available, redirect addresses may contain wildcards, and keys may be rotated within an hour. While no caller authentication is enabled, the back channel accepts every caller. Never enable it in production.",
  ),
  naming: Naming,
  servers: section("Listeners of the gateway.", { http: HttpServer, grpc: GrpcServer }),
  console: Console,
  outgoing_tls: section(
    "Outgoing TLS connections: LDAP, SQL, Redis, NATS, mail, webhooks, logout messages, metadata, keys.",
    {
      ca_file: text(
        "Path of a PEM file with CA certificates that all outgoing connections trust, in addition to the public CAs of Node.js. Connections with CA certificates of their own (`ca_file`, `tls_ca_cert`) trust only those.",
      ),
    },
  ),
  timeouts: Timeouts,
  services: Services,
  jobs: Jobs,
  bus: Bus,
  regions: Regions,
});

const takenSegments = new Set(["json", "cbor", "header", "basic"]);

export function validateRuntime(config: Config, judgement: Judgement): void {
  const { problem, warning } = judgement;
  validateHttp(config, judgement);
  validateGrpc(config, judgement);
  validateBus(config.runtime.bus, "runtime.bus", judgement);
  validateRegions(config, judgement);
  const { naming, services, developer_mode } = config.runtime;
  for (const name of ["proxy_segment", "sasl_segment"] as const) {
    if (takenSegments.has(naming[name])) problem(`runtime.naming.${name}`, messages.segmentTaken);
  }
  if (naming.proxy_segment === naming.sasl_segment) problem("runtime.naming.sasl_segment", messages.sameSegment);
  if (services.caller_assertion.secret === "") {
    warning("runtime.services.caller_assertion.secret", messages.noAssertionSecret);
  }
  if (developer_mode) warning("runtime.developer_mode", messages.developerMode);
}
