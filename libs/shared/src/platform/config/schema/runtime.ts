import { boolean, choice, duration, integer, secret, section, string, stringList } from "./fields.ts";
import { Console } from "./runtime-console.ts";
import { HttpServer } from "./runtime-http.ts";
import { Services } from "./runtime-services.ts";
import { ClientTls } from "./tls.ts";

/** The connection of every service to NATS. */
const Bus = section("Connection of every service to the message bus (NATS).", {
  servers: stringList(["nats://127.0.0.1:4222"], {
    description:
      "URLs of the NATS servers. May be empty if one process runs the whole site (`postern serve`), which then needs no NATS.",
    form: "nats-url",
  }),
  namespace: string("postern", {
    description: "First token of every subject. Sites that share one NATS must use different namespaces.",
    form: "subject-token",
    minLength: 1,
  }),
  username: string("", { description: "User name for NATS." }),
  password: secret({ description: "Password for NATS." }),
  token: secret({ description: "Token for NATS, in place of a user name and password." }),
  credentials_file: string("", {
    description: "Path of a NATS credentials file (JWT and seed), in place of a user name and password.",
  }),
  tls: ClientTls,
  max_in_flight: integer(1024, {
    description:
      "Maximum number of bus requests that a replica handles concurrently. Further requests are rejected immediately.",
    minimum: 1,
  }),
});

const AuthorityTls = section("TLS settings of this listener.", {
  enabled: boolean(false, { description: "Whether the listener requires TLS instead of plain text." }),
  cert: string("", { description: "Path of the PEM file with the certificate chain." }),
  key: string("", { description: "Path of the PEM file with the private key." }),
  client_ca: string("", {
    description: "Path of the PEM file with the CA certificates that client certificates must be issued by.",
  }),
  require_client_cert: boolean(false, {
    description: "Whether callers must present a certificate issued by client_ca.",
  }),
  min_tls_version: choice(["TLS1.2", "TLS1.3"], "TLS1.2", { description: "Oldest TLS version that is accepted." }),
});

/** The gateway's gRPC listener. */
const GrpcServer = section("Listeners of the gateway for gRPC.", {
  authority: section("AuthService, for mail servers that authenticate users over gRPC.", {
    enabled: boolean(false, { description: "Whether the listener is open." }),
    address: string("127.0.0.1:9444", {
      description: "Address and port of the listener. Without TLS it must be a loopback address.",
      form: "host-port",
      minLength: 1,
    }),
    tls: AuthorityTls,
  }),
});

const Naming = section("Names in the HTTP interface that a site can change to match its existing mail servers.", {
  identifier: string("service", {
    description: "Identifier in header names, scopes, the token audience and metric names.",
    form: "identifier",
    minLength: 1,
  }),
  proxy_segment: string("proxy", {
    description: "Path segment of the proxy dialect.",
    form: "path-segment",
    minLength: 1,
  }),
  sasl_segment: string("sasl", {
    description: "Path segment of the SASL dialect.",
    form: "path-segment",
    minLength: 1,
  }),
});

const Timeouts = section("Timeouts.", {
  decision: duration("5s", {
    description:
      "Time within which the gateway must respond to an authentication request. After it, the response is a temporary failure.",
    minimum: 50,
    reload: "live",
  }),
  redis_read: duration("1s", { description: "Timeout of reading the state of a token in Redis.", minimum: 10 }),
  redis_write: duration("2s", { description: "Timeout of all other Redis commands, reads included.", minimum: 10 }),
  ldap_search: duration("3s", { description: "Timeout of an LDAP search.", minimum: 10, reload: "live" }),
  ldap_bind: duration("3s", { description: "Timeout of an LDAP bind.", minimum: 10, reload: "live" }),
  ldap_modify: duration("5s", { description: "Timeout of an LDAP modify operation.", minimum: 10, reload: "live" }),
  sql_query: duration("3s", { description: "Timeout of an SQL statement.", minimum: 10, reload: "live" }),
  lua_backend: duration("5s", {
    description: "Timeout of a script that takes part in a decision.",
    minimum: 10,
    reload: "live",
  }),
  lua_script: duration("30s", { description: "Timeout of a hook or an action.", minimum: 10, reload: "live" }),
  shutdown_delay: duration("0s", {
    description:
      "Time between a service reporting that it is not ready and its listeners closing. Load balancers need it to notice.",
    reload: "live",
  }),
  shutdown_grace: duration("10s", {
    description: "Time that requests in progress have to finish when a service stops.",
    reload: "live",
  }),
});

const Jobs = section("Flushes that run as background jobs.", {
  retention: duration("24h", {
    description: "Time for which the record of a finished job is kept.",
    minimum: 1000,
    maximum: 2_592_000_000,
  }),
  concurrency: integer(8, {
    description: "Number of jobs that one worker runs concurrently.",
    minimum: 1,
    maximum: 256,
  }),
  max_queued: integer(100_000, {
    description: "Maximum number of waiting jobs. Further jobs are rejected.",
    minimum: 1,
  }),
});

/** Listeners, names, timeouts and the connections between the services. */
export const Runtime = section("Listeners, names, timeouts and connections of the services.", {
  instance_name: string("postern", { description: "Name of this installation in logs and metrics.", minLength: 1 }),
  developer_mode: boolean(false, {
    description:
      "Whether developer mode is on: developer pages are available, redirect addresses may contain wildcards, and keys may be rotated within an hour. While no caller authentication is enabled, the back channel accepts every caller. Never enable it in production.",
  }),
  naming: Naming,
  servers: section("Listeners of the gateway.", { http: HttpServer, grpc: GrpcServer }),
  console: Console,
  outgoing_tls: section(
    "Outgoing TLS connections: LDAP, SQL, Redis, NATS, mail, webhooks, logout messages, metadata, keys.",
    {
      ca_file: string("", {
        description:
          "Path of a PEM file with CA certificates that all outgoing connections trust, in addition to the public CAs of Node.js. Connections with CA certificates of their own (`ca_file`, `tls_ca_cert`) trust only those.",
      }),
    },
  ),
  timeouts: Timeouts,
  services: Services,
  jobs: Jobs,
  bus: Bus,
});
