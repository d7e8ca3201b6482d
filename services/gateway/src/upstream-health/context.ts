import type { Base } from "@postern/shared/assembly";
import { UpstreamHealth } from "./health-checks.ts";
import { probeMailServer } from "./probe.ts";
import type { HealthCheckSettings } from "./target.ts";

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
  const health = new UpstreamHealth(
    {
      probe: probeMailServer,
      logger,
      observe: (protocol, outcome) => checked({ protocol, outcome }).inc(),
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
