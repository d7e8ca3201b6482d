import { choice, duration, flag, integer, secret, section, text, texts } from "./fields.ts";

const embedded = {
  file: text("", { description: "SQLite: database file; it is made when it is missing." }),
  seed_file: text("", { description: "SQLite: SQL that is run once, when the database file is new." }),
  busy_timeout: duration("250ms", { description: "SQLite: wait for another process's write to end." }),
};

const servers = {
  server: texts([], {
    description: "Equal servers, as db1.example.org:5432; the first healthy ones are asked.",
    form: "host-port",
  }),
  database: text("", { description: "Name of the database." }),
  user: text("", { description: "Account of ours at the server." }),
  password: secret({ description: "Its password." }),
  tls: flag(false, { description: "Speak TLS, and nothing else." }),
  tls_skip_verify: flag(false, { description: "Accept any certificate. For tests only." }),
  tls_ca_cert: text("", { description: "File with the authorities to trust, PEM; empty trusts the system's." }),
  tls_client_cert: text("", { description: "File with our client certificate, PEM." }),
  tls_client_key: text("", { description: "File with our client certificate's private key, PEM." }),
};

const bounds = {
  pool_size: integer(8, { description: "Connections, over all servers.", minimum: 1, maximum: 1024 }),
  queue_length: integer(1024, { description: "Statements that may wait; more are temporary failures." }),
  connect_timeout: duration("3s", {
    description: "A connection, its TLS and login included, to come up.",
    minimum: 10,
  }),
  query_timeout: duration("3s", { description: "One statement.", minimum: 10 }),
  cb_failure_threshold: integer(5, { description: "Failures in a row that take a server out.", minimum: 1 }),
  cb_cooldown: duration("30s", { description: "Time that a server stays out." }),
  cb_half_open_max: integer(1, { description: "Trial statements when it comes back.", minimum: 1 }),
  health_check_interval: duration("10s", { description: "Time between two health checks.", minimum: 100 }),
};

/** One database: a file, or a set of equal servers. */
export const SqlPool = section("One database.", {
  driver: choice(["sqlite", "postgresql", "mysql"], "sqlite", {
    description: "Kind of database; mysql is for MariaDB too.",
  }),
  ...embedded,
  ...servers,
  ...bounds,
});
