import { boolean, choice, duration, integer, secret, section, string, stringList } from "./fields.ts";

const embedded = {
  file: string("", { description: "Path of the database file, for SQLite. It is created if it does not exist." }),
  seed_file: string("", {
    description: "Path of a file with SQL statements that run once, when the SQLite database file is created.",
  }),
  busy_timeout: duration("250ms", {
    description: "Longest time to wait for another process's write to an SQLite file.",
  }),
};

const servers = {
  server: stringList([], {
    description:
      "Addresses of equivalent servers, such as db1.example.org:5432. Connections are spread over the healthy ones.",
    form: "host-port",
  }),
  database: string("", { description: "Name of the database." }),
  user: string("", { description: "User name for the server." }),
  password: secret({ description: "Password for the server." }),
  tls: boolean(false, { description: "Whether connections must use TLS." }),
  tls_skip_verify: boolean(false, { description: "Whether any server certificate is accepted. For tests only." }),
  tls_ca_cert: string("", {
    description:
      "Path of the PEM file with the trusted CA certificates. If empty, the public CAs of Node.js and those of runtime.outgoing_tls.ca_file are trusted.",
  }),
  tls_client_cert: string("", { description: "Path of the PEM file with Postern's client certificate." }),
  tls_client_key: string("", { description: "Path of the PEM file with the private key of the client certificate." }),
};

const bounds = {
  pool_size: integer(8, { description: "Number of connections to all servers together.", minimum: 1, maximum: 1024 }),
  queue_length: integer(1024, {
    description: "Maximum number of statements that wait. Further ones are temporary failures.",
  }),
  connect_timeout: duration("3s", {
    description: "Timeout for establishing a connection, including TLS and login.",
    minimum: 10,
  }),
  query_timeout: duration("3s", {
    description: "Timeout of a statement.",
    minimum: 10,
    defaultFrom: "runtime.timeouts.sql_query",
  }),
  cb_failure_threshold: integer(5, {
    description: "Number of consecutive failures after which a server is no longer used.",
    minimum: 1,
  }),
  cb_cooldown: duration("30s", { description: "Time for which a failed server is not used." }),
  cb_half_open_max: integer(1, {
    description: "Number of trial statements before a failed server is fully used again.",
    minimum: 1,
  }),
  health_check_interval: duration("10s", { description: "Interval between two health checks.", minimum: 100 }),
};

/** One database: a file or a group of equivalent servers. */
export const SqlPool = section("Connection to one database: a file or a group of equivalent servers.", {
  driver: choice(["sqlite", "postgresql", "mysql"], "sqlite", {
    description: "Database system. `mysql` is for MariaDB too.",
  }),
  ...embedded,
  ...servers,
  ...bounds,
});
