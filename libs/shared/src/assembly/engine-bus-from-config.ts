import { type EngineWatch, startEngineWatch, watchedBus } from "../domain/engine-watch/index.ts";
import type { Bus } from "../platform/bus/index.ts";
import type { Config } from "../platform/config/index.ts";
import { steadyClock } from "../platform/time/clock.ts";
import type { Base } from "./base.ts";
import { busFromConfig } from "./bus-from-config.ts";

export interface EngineBus {
  /** A bus whose requests fail immediately while no engine sends heartbeats. */
  readonly bus: Bus;
  readonly engineWatch: EngineWatch;
}

/** Listens for the engines' heartbeats. Logs an error when all engines are silent, and exports the number of live engines as a gauge. */
export function watchEngines(
  bus: Bus,
  { metrics, metricsPrefix, logger }: Pick<Base, "metrics" | "metricsPrefix" | "logger">,
) {
  const engineWatch = startEngineWatch({
    bus,
    onSilence: () => logger.error("no engine sends heartbeats: requests to engines fail immediately"),
  });
  metrics.gauge({
    name: `${metricsPrefix}_engines_heard`,
    help: "Engines whose heartbeat arrived within the last second",
    read: engineWatch.engines,
  });
  return engineWatch;
}

/** The bus of a service that sends requests only to engines, with a watch on their heartbeats. */
export async function engineBusFromConfig(config: Config, base: Base): Promise<EngineBus> {
  const bus = await busFromConfig(config, base);
  const engineWatch = watchEngines(bus, base);
  return { bus: watchedBus({ bus, watch: engineWatch, clock: steadyClock }), engineWatch };
}
