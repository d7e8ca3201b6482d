import { startEngineWatch, watchedBus } from "../domain/engine-watch/index.ts";
import { type Bus, type BusMetrics, busFacts, connectBus } from "../platform/bus/index.ts";
import type { Config } from "../platform/config/index.ts";
import { errorCodes } from "../platform/errors/codes.ts";
import type { Metrics } from "../platform/metrics/registry.ts";
import { steadyClock } from "../platform/time/clock.ts";
import type { Base } from "./base.ts";

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
    labels: { fact: busFacts },
  });
  const counters = new Map(busFacts.map((fact) => [fact, facts({ fact })]));
  return {
    requestFailed: (code) => failedByCode.get(code)?.inc(),
    counted: (fact) => counters.get(fact)?.inc(),
  };
}

/** Without `shared` outside services. */
type BusParts = Pick<Base, "service" | "logger" | "metrics"> & Partial<Pick<Base, "tracer" | "shared">>;

/** This service's connection to the bus; it keeps connecting while NATS is unavailable. */
export function busFromConfig(config: Config, { service, logger, metrics, tracer, shared }: BusParts): Promise<Bus> {
  const { bus, naming } = config.runtime;
  return connectBus({
    servers: bus.servers,
    namespace: bus.namespace,
    name: service,
    security: bus,
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
