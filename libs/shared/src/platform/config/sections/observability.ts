import { messages } from "../messages.ts";
import { checkEnabled, type Judgement } from "./checks.ts";
import { choice, dayMs, decimal, duration, flag, integer, liveSection, secret, section, text } from "./fields.ts";
import type { Config } from "./root.ts";
import { ClientTls } from "./servers.ts";

const DecisionHistory = section(
  "Decision history: the latest sign-ins of each account and network, encrypted in Redis, for operators who help customers. It requires storage.redis.encryption_secret.",
  {
    enabled: flag("Whether sign-ins are recorded. A record takes about 350 bytes in Redis.", { default: true }),
    retention: duration(
      "336h",
      "Time after which what is recorded individually is removed: failures, refusals, and successes after a failure.",
      { minimum: 3_600_000, maximum: 14 * dayMs },
    ),
    counts_retention: duration(
      "720h",
      "Time for which ordinary successes are counted, by day, account, network and program. Whole days; at least one.",
      { minimum: 3_600_000, maximum: 30 * dayMs },
    ),
    per_account: integer(
      20,
      "Number of records kept for each account: networks and programs with which it signed in, and as many other outcomes.",
      { minimum: 1, maximum: 500 },
    ),
    per_network: integer(
      50,
      "Number kept for each network (IPv4 /24, IPv6 /48): accounts that signed in, accounts with other outcomes, and records of names that no backend knows.",
      { minimum: 1, maximum: 500 },
    ),
    max_accounts: integer(
      100_000,
      "Number of accounts with a history. Above it, those without a recent sign-in are removed first.",
      { minimum: 100, maximum: 10_000_000 },
    ),
    max_networks: integer(
      5000,
      "Number of networks with a history. Above it, those without a recent sign-in are removed first.",
      { minimum: 100, maximum: 10_000_000 },
    ),
  },
);

const AuditHistory = section(
  "Audit history: a copy of the latest audit records, encrypted in Redis, for the console's audit page. It requires storage.redis.encryption_secret and observability.audit.enabled.",
  {
    enabled: flag("Whether audit records are also kept in Redis."),
    retention: duration("168h", "Time after which a record is removed from Redis.", {
      minimum: 3_600_000,
      maximum: 30 * dayMs,
    }),
    max_records: integer(
      50_000,
      "Number of records kept of each kind: denials without an identified actor, and all others. Above it, the oldest are removed.",
      { minimum: 1000, maximum: 1_000_000 },
    ),
  },
);

export const Observability = section("Logs, the audit stream, the decision history, metrics and traces.", {
  log: section("Log output.", {
    level: choice(
      ["none", "error", "warn", "notice", "info", "debug"],
      "Minimum severity of the log lines that are written.",
      { default: "info", reload: "live" },
    ),
  }),
  audit: section("Audit stream: who did what, when, from where, with what outcome.", {
    enabled: flag("Whether audit records are written.", { default: true }),
    file: text(
      "Path of the audit file, which SIGHUP reopens. If empty, audit records are written to the log, each with the field audit.",
    ),
    address_truncation: section("Truncation of client addresses in audit records.", {
      ipv4_bits: integer(32, "Number of leading bits of an IPv4 address that are written.", {
        unit: "bits",
        maximum: 32,
      }),
      ipv6_bits: integer(128, "Number of leading bits of an IPv6 address that are written.", {
        unit: "bits",
        maximum: 128,
      }),
    }),
  }),
  audit_history: AuditHistory,
  decision_history: DecisionHistory,
  metrics: liveSection("Metrics in the Prometheus format.", {
    endpoint_enabled: flag(
      "Whether the gateway's main listener also serves GET /metrics. Every service's private listener always does.",
    ),
    endpoint_auth: section("Authentication of GET /metrics on the main listener.", {
      basic: section("HTTP Basic authentication.", {
        enabled: flag("Whether these credentials are required."),
        username: text("User name."),
        password: secret("Password."),
      }),
    }),
  }),
  tracing: section("OpenTelemetry traces of requests through all services.", {
    enabled: flag("Whether requests are traced."),
    exporter: choice(
      ["otlphttp", "none"],
      "Protocol of the receiver: OTLP over HTTP in JSON. With none, nothing is traced.",
    ),
    endpoint: text("URL, or address and port, of the receiver. Without a path, traces go to /v1/traces.", {
      default: "http://127.0.0.1:4318",
      form: "http-receiver",
      example: "https://collector.example.test:4318",
    }),
    authorization: secret(
      "Authorization header of the requests to the receiver, such as Bearer and a token. If empty, none is sent.",
    ),
    sampler_ratio: decimal(
      0.01,
      "Fraction of requests that are traced, unless the caller decides: an authenticated API caller or trusted proxy that sends the header traceparent.",
      { maximum: 1 },
    ),
    tls: ClientTls,
  }),
});

export function validateObservability({ observability }: Config, judgement: Judgement): void {
  const { endpoint_enabled, endpoint_auth } = observability.metrics;
  const path = "observability.metrics.endpoint_auth.basic";
  checkEnabled(endpoint_auth.basic, path, ["username", "password"], judgement);
  if (endpoint_enabled && !endpoint_auth.basic.enabled) {
    judgement.warning("observability.metrics.endpoint_enabled", messages.metricsOpen);
  }
}
