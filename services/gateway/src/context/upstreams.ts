import type { Base } from "@postern/shared/assembly";
import { createUpstreamHealth, type UpstreamHealth } from "../upstream-health/health-checks.ts";
import { probeMailServer } from "../upstream-health/probe.ts";
import type { HealthCheckSettings } from "../upstream-health/target.ts";

const protocols = ["imap", "pop3", "smtp", "lmtp", "sieve", "http"] as const;

/** Monitors the mail servers behind the proxy dialect. */
export function createUpstreams(
  { metrics, metricsPrefix, logger }: Base,
  settings: HealthCheckSettings,
): UpstreamHealth {
  const checked = metrics.counter({
    name: `${metricsPrefix}_mail_backend_checks_total`,
    help: "Health checks of mail servers, by outcome",
    labels: { protocol: protocols, outcome: ["up", "down"] },
  });
  const health = createUpstreamHealth(
    {
      probe: probeMailServer,
      log: logger,
      observe: (protocol, outcome) => checked({ protocol, outcome }).inc(),
      random: Math.random,
    },
    settings,
  );
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
