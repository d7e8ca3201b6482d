import { type Bus, type BusCredentials, type BusMetrics, type BusTls, connectBus } from "../platform/bus/index.ts";
import type { BusConfig, Config } from "../platform/config/index.ts";
import { Secret } from "../platform/crypto/secret.ts";
import { errorCodes } from "../platform/errors/codes.ts";
import type { SharedByProcess } from "../platform/lifecycle/service-program.ts";
import type { Logger } from "../platform/logging/logger.ts";
import type { Metrics } from "../platform/metrics/registry.ts";
import type { Tracer } from "../platform/tracing/tracer.ts";

function credentialsOf({ credentials_file, token, username, password }: BusConfig): BusCredentials | undefined {
  if (credentials_file !== "") return { kind: "creds-file", path: credentials_file };
  if (token !== "") return { kind: "token", token: new Secret(token) };
  return username === "" ? undefined : { kind: "password", user: username, password: new Secret(password) };
}

function tlsOf({ tls }: BusConfig): BusTls | undefined {
  if (!tls.enabled) return undefined;
  return { caFile: tls.ca_file, certFile: tls.cert, keyFile: tls.key, skipVerify: tls.skip_verify };
}

function busMetrics(registry: Metrics, metricsPrefix: string): BusMetrics {
  const codes = Object.keys(errorCodes);
  const failed = registry.counter({
    name: `${metricsPrefix}_bus_requests_failed_total`,
    help: "Requests over NATS that ended in an error, by code",
    labels: { code: codes },
  });
  const failedByCode = new Map(codes.map((code) => [code, failed({ code })]));
  const facts = registry.counter({
    name: `${metricsPrefix}_bus_events_total`,
    help: "Irregular events on NATS: resent, late, expired, rejected, malformed and lost messages, moves to another server",
    labels: { fact: ["resent", "late_reply", "expired_dropped", "overloaded", "malformed", "event_lost", "moved"] },
  });
  const resent = facts({ fact: "resent" });
  const late = facts({ fact: "late_reply" });
  const expired = facts({ fact: "expired_dropped" });
  const overloaded = facts({ fact: "overloaded" });
  const malformed = facts({ fact: "malformed" });
  const lost = facts({ fact: "event_lost" });
  const moved = facts({ fact: "moved" });
  return {
    requestFailed: (code) => failedByCode.get(code)?.inc(),
    resent: () => resent.inc(),
    lateReply: () => late.inc(),
    expiredDropped: () => expired.inc(),
    overloaded: () => overloaded.inc(),
    malformed: () => malformed.inc(),
    eventLost: () => lost.inc(),
    moved: () => moved.inc(),
  };
}

export interface BusParts {
  readonly service: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer?: Tracer | undefined;
  /** Absent outside services. */
  readonly shared?: SharedByProcess | undefined;
}

/** This service's connection to the bus; it keeps connecting while NATS is unavailable. */
export function busFromConfig(config: Config, { service, logger, metrics, tracer, shared }: BusParts): Promise<Bus> {
  const { bus, naming } = config.runtime;
  return connectBus({
    servers: bus.servers,
    namespace: bus.namespace,
    name: service,
    credentials: credentialsOf(bus),
    tls: tlsOf(bus),
    logger,
    metrics: busMetrics(metrics, naming.identifier),
    tracer,
    local: shared?.local,
  });
}
