import type { Bus } from "../platform/bus/index.ts";
import { type Config, diffReload } from "../platform/config/index.ts";
import { type Health, openPrivateListener, type PrivateListener } from "../platform/lifecycle/index.ts";
import type { Service } from "../platform/lifecycle/run-service.ts";
import { type ShutdownStep, shutDown } from "../platform/lifecycle/shutdown.ts";
import type { Metrics } from "../platform/metrics/registry.ts";
import { parseHostPort } from "../platform/net/host-port.ts";
import type { Base } from "./base.ts";
import { type OwnReport, startServiceReports } from "./service-reports.ts";

export interface ServiceParts {
  readonly config: Config;
  readonly base: Base;
  readonly health: Health;
  readonly bus: Pick<Bus, "subscribe" | "publish" | "isConnected">;
  /** What only this service can report to operators. */
  readonly report?: () => Promise<OwnReport>;
  /** Applies a valid configuration. If it throws, the old one stays in effect. */
  readonly apply: (next: Config) => Promise<void> | void;
  /** The shutdown: stop accepting requests, finish those in progress, close. */
  readonly steps: readonly ShutdownStep[];
}

/** Reload, rejected reload and ordered shutdown, identical in all services. */
export function createService({ config, base, health, bus, report, apply, steps }: ServiceParts): Service {
  const { logger, processLogger, metrics, metricsPrefix, audit, tracer } = base;
  const traces: readonly ShutdownStep[] = tracer === undefined ? [] : [{ name: "traces", run: tracer.close }];
  const actor = "process";
  const reloads = metrics.counter({
    name: `${metricsPrefix}_config_reloads_total`,
    help: "Configuration reloads, by result",
    labels: { result: ["applied", "refused"] },
  });
  let current = config;
  const reports = startServiceReports(bus, { base, health, own: report });
  const farewell: ShutdownStep = { name: "service report", run: reports.drain };
  const refused = (fields: object, reasons: readonly string[]): void => {
    base.configuration.refused(reasons);
    reloads({ result: "refused" }).inc();
    audit.record({ event: "configuration.reload", outcome: "failed", actor });
    logger.error(fields, "configuration refused; the previous one stays in effect");
  };
  return {
    logger,
    flushLogs: () => processLogger.flush(),
    reload: async (next) => {
      audit.reopen();
      try {
        await apply(next);
      } catch (err) {
        refused({ err }, [err instanceof Error ? err.message : String(err)]);
        return;
      }
      const restartOnly = diffReload(current, next);
      current = next;
      base.configuration.reloaded(next);
      processLogger.setLevel(next.observability.log.level);
      reloads({ result: "applied" }).inc();
      audit.record({ event: "configuration.reload", outcome: "ok", actor });
      logger.info("configuration reloaded");
      if (restartOnly.length > 0) logger.warn({ keys: restartOnly }, "changed keys that need a restart");
    },
    reloadRefused: (problems) => refused({ problems }, problems),
    stop: () => {
      const { shutdown_delay: delayMs, shutdown_grace: graceMs } = current.runtime.timeouts;
      return shutDown({
        health,
        logger,
        delayMs,
        graceMs,
        steps: [farewell, ...steps, { name: "audit history", run: audit.close }, ...traces],
      });
    },
  };
}

const closed: PrivateListener = { close: async () => undefined };

/** The private listener of a service; undefined if its address is empty. */
export async function privateListenerAt(
  address: string,
  deps: { readonly health: Health; readonly metrics: Metrics; readonly metricsPrefix: string },
): Promise<PrivateListener> {
  const hostPort = parseHostPort(address);
  return hostPort === undefined
    ? closed
    : openPrivateListener({ address: hostPort, identifier: deps.metricsPrefix, ...deps });
}
