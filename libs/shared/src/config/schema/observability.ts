import { choice, flag, secret, section, text } from "./fields.ts";

/** Logs and metrics. */
export const Observability = section("Logs and metrics.", {
  log: section("Logs.", {
    level: choice(["none", "error", "warn", "notice", "info", "debug"], "info", {
      description: "Least important level that is written.",
      reload: "live",
    }),
    json: flag(true, { description: "One JSON object a line; otherwise text for people." }),
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
