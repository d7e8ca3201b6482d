import { startEngineWatch, watchedBus } from "../domain/engine-watch/index.ts";
import { type Bus, type BusCredentials, type BusMetrics, type BusTls, connectBus } from "../platform/bus/index.ts";
import type { BusConfig, Config } from "../platform/config/index.ts";
import { Secret } from "../platform/crypto/secret.ts";
import { errorCodes } from "../platform/errors/codes.ts";
import type { SharedByProcess } from "../platform/lifecycle/service-program.ts";
import type { Logger } from "../platform/logging/logger.ts";
import type { Metrics } from "../platform/metrics/registry.ts";
import { steadyClock } from "../platform/time/clock.ts";
import type { Tracer } from "../platform/tracing/tracer.ts";
import type { Base } from "./base.ts";

type Connection = Pick<BusConfig, "credentials_file" | "token" | "username" | "password" | "tls">;

function credentialsOf({ credentials_file, token, username, password }: Connection): BusCredentials | undefined {
  if (credentials_file !== "") return { kind: "creds-file", path: credentials_file };
  if (token !== "") return { kind: "token", token: new Secret(token) };
  return username === "" ? undefined : { kind: "password", user: username, password: new Secret(password) };
}

function tlsOf({ tls }: Connection): BusTls | undefined {
  if (!tls.enabled) return undefined;
  return { caFile: tls.ca_file, certFile: tls.cert, keyFile: tls.key, skipVerify: tls.skip_verify };
}

/** How a connection to NATS is authenticated and protected. */
export function busSecurity(connection: Connection) {
  return { credentials: credentialsOf(connection), tls: tlsOf(connection) };
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
  const fact = (name: string) => {
    const counter = facts({ fact: name });
    return () => counter.inc();
  };
  return {
    requestFailed: (code) => failedByCode.get(code)?.inc(),
    resent: fact("resent"),
    lateReply: fact("late_reply"),
    expiredDropped: fact("expired_dropped"),
    overloaded: fact("overloaded"),
    malformed: fact("malformed"),
    eventLost: fact("event_lost"),
    moved: fact("moved"),
  };
}

interface BusParts {
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
    ...busSecurity(bus),
    logger,
    metrics: busMetrics(metrics, naming.identifier),
    tracer,
    local: shared?.local,
  });
}

/** Listens for the engines' heartbeats. Logs an error when all engines are silent, and exports the number of live engines as a gauge. */
export function watchEngines(
  bus: Bus,
  { metrics, metricsPrefix, logger }: Pick<Base, "metrics" | "metricsPrefix" | "logger">,
) {
  const engineWatch = startEngineWatch(bus, () =>
    logger.error("no engine sends heartbeats: requests to engines fail immediately"),
  );
  metrics.gauge({
    name: `${metricsPrefix}_engines_heard`,
    help: "Engines whose heartbeat arrived within the last second",
    read: engineWatch.engines,
  });
  return engineWatch;
}

export type EngineBus = Awaited<ReturnType<typeof engineBusFromConfig>>;

/** The bus of a service that sends requests only to engines; they fail immediately while no engine sends heartbeats. */
export async function engineBusFromConfig(config: Config, base: Base) {
  const bus = await busFromConfig(config, base);
  const engineWatch = watchEngines(bus, base);
  return { bus: watchedBus(bus, engineWatch, steadyClock), engineWatch };
}
