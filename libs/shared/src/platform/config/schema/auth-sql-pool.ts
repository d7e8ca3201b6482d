import { choice, duration, flag, integer, secret, section, text, texts } from "./fields.ts";

const embedded = {
  file: text("Path of the database file, for SQLite. It is created if it does not exist."),
  seed_file: text("Path of a file with SQL statements that run once, when the SQLite database file is created."),
  busy_timeout: duration("250ms", "Longest time to wait for another process's write to an SQLite file."),
};

const servers = {
  server: texts(
    "Addresses of equivalent servers, such as db1.example.org:5432. Connections are spread over the healthy ones.",
    { form: "host-port" },
  ),
  database: text("Name of the database."),
  user: text("User name for the server."),
  password: secret("Password for the server."),
  tls: flag("Whether connections must use TLS."),
  tls_skip_verify: flag("Whether any server certificate is accepted. For tests only."),
  tls_ca_cert: text(
    "Path of the PEM file with the trusted CA certificates. If empty, the public CAs of Node.js and those of runtime.outgoing_tls.ca_file are trusted.",
  ),
  tls_client_cert: text("Path of the PEM file with Postern's client certificate."),
  tls_client_key: text("Path of the PEM file with the private key of the client certificate."),
};

const bounds = {
  pool_size: integer(8, "Number of connections to all servers together.", { minimum: 1, maximum: 1024 }),
  queue_length: integer(1024, "Maximum number of statements that wait. Further ones are temporary failures."),
  connect_timeout: duration("3s", "Timeout for establishing a connection, including TLS and login.", { minimum: 10 }),
  query_timeout: duration("3s", "Timeout of a statement.", { minimum: 10, defaultFrom: "runtime.timeouts.sql_query" }),
  cb_failure_threshold: integer(5, "Number of consecutive failures after which a server is no longer used.", {
    minimum: 1,
  }),
  cb_cooldown: duration("30s", "Time for which a failed server is not used."),
  cb_half_open_max: integer(1, "Number of trial statements before a failed server is fully used again.", {
    minimum: 1,
  }),
  health_check_interval: duration("10s", "Interval between two health checks.", { minimum: 100 }),
};

/** One database: a file or a group of equivalent servers. */
export const SqlPool = section("Connection to one database: a file or a group of equivalent servers.", {
  driver: choice(["sqlite", "postgresql", "mysql"], "Database system. `mysql` is for MariaDB too."),
  ...embedded,
  ...servers,
  ...bounds,
});
