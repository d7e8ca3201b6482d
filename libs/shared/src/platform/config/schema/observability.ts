import { boolean, choice, integer, secret, section, string } from "./fields.ts";

/** Logs and metrics. */
export const Observability = section("Logs, the audit stream and metrics.", {
  log: section("Log output.", {
    level: choice(["none", "error", "warn", "notice", "info", "debug"], "info", {
      description: "Minimum severity of the log lines that are written.",
      reload: "live",
    }),
  }),
  audit: section("Audit stream: who did what, when, from where, with what outcome.", {
    enabled: boolean(true, { description: "Whether audit records are written." }),
    file: string("", {
      description:
        "Path of the audit file, which SIGHUP reopens. If empty, audit records are written to the log, each with the field audit.",
    }),
    address_truncation: section("Truncation of client addresses in audit records.", {
      ipv4_bits: integer(32, {
        description: "Number of leading bits of an IPv4 address that are written.",
        unit: "bits",
        maximum: 32,
      }),
      ipv6_bits: integer(128, {
        description: "Number of leading bits of an IPv6 address that are written.",
        unit: "bits",
        maximum: 128,
      }),
    }),
  }),
  metrics: section(
    "Metrics in the Prometheus format.",
    {
      endpoint_enabled: boolean(false, {
        description:
          "Whether the gateway's main listener also serves GET /metrics. Every service's private listener always does.",
      }),
      endpoint_auth: section("Authentication of GET /metrics on the main listener.", {
        basic: section("HTTP Basic authentication.", {
          enabled: boolean(false, { description: "Whether these credentials are required." }),
          username: string("", { description: "User name." }),
          password: secret({ description: "Password." }),
        }),
      }),
    },
    { reload: "live" },
  ),
});
