import type { Foundation } from "../foundation.ts";
import { UpstreamHealth } from "./health-checks.ts";

const protocols = ["imap", "pop3", "smtp", "lmtp", "sieve", "http"] as const;

/** Monitors the mail servers behind the proxy dialect. */
export function createUpstreams({ metrics, metricsPrefix, logger, live }: Foundation): UpstreamHealth {
  const checked = metrics.counter({
    name: `${metricsPrefix}_mail_backend_checks_total`,
    help: "Health checks of mail servers, by outcome",
    labels: { protocol: protocols, outcome: ["up", "down"] },
  });
  const observe = (protocol: (typeof protocols)[number], outcome: "up" | "down") =>
    checked({ protocol, outcome }).inc();
  const health = new UpstreamHealth(logger, observe, live.current.healthChecks);
  metrics.gauge({
    name: `${metricsPrefix}_mail_backends_up`,
    help: "Mail servers that are up",
    read: () => health.count().up,
  });
  metrics.gauge({
    name: `${metricsPrefix}_mail_backends_down`,
    help: "Mail servers that are down",
    read: () => health.count().down,
  });
  return health;
}
