import { choice, flag, integer, secret, section, text } from "./fields.ts";

/** Logs and metrics. */
export const Observability = section("Logs and metrics.", {
  log: section("Logs.", {
    level: choice(["none", "error", "warn", "notice", "info", "debug"], "info", {
      description: "Least important level that is written.",
      reload: "live",
    }),
    json: flag(true, { description: "One JSON object a line; otherwise text for people." }),
  }),
  audit: section("The audit stream: who did what to whom.", {
    enabled: flag(true, { description: "Write it." }),
    file: text("", {
      description: "File of its own, which SIGHUP opens anew; empty writes the lines among the log's, each with audit.",
    }),
    address_truncation: section("How much of a client's address is written.", {
      ipv4_bits: integer(32, { description: "Leading bits of an IPv4 address.", unit: "bits", maximum: 32 }),
      ipv6_bits: integer(128, { description: "Leading bits of an IPv6 address.", unit: "bits", maximum: 128 }),
    }),
  }),
  metrics: section(
    "Metrics in the Prometheus format.",
    {
      endpoint_enabled: flag(false, { description: "Offer GET /metrics on the gateway's main listener too." }),
      endpoint_auth: section("Who may read them there.", {
        basic: section("Basic credentials.", {
          enabled: flag(false, { description: "Ask for these credentials." }),
          username: text("", { description: "User name." }),
          password: secret({ description: "Password." }),
        }),
      }),
    },
    { reload: "live" },
  ),
});
