import type { Bus } from "../platform/bus/index.ts";
import { type Config, diffReload } from "../platform/config/index.ts";
import type { Health } from "../platform/lifecycle/health.ts";
import type { PreparedReload, Service } from "../platform/lifecycle/service-program.ts";
import { runSteps, type ShutdownStep } from "../platform/lifecycle/shutdown.ts";
import type { Base } from "./base.ts";
import { type OwnReport, startServiceReports } from "./service-reports.ts";

export interface ServiceParts {
  readonly config: Config;
  readonly base: Base;
  readonly health: Health;
  readonly bus: Pick<Bus, "subscribe" | "publish" | "canPublish">;
  /** What only this service can report to operators. */
  readonly report?: () => Promise<OwnReport>;
  /** Prepares a valid configuration. If it throws, the old one stays in effect. */
  readonly prepare: (next: Config) => Promise<PreparedReload> | PreparedReload;
  /** The shutdown: stop accepting requests, finish those in progress, close. */
  readonly steps: readonly ShutdownStep[];
}

/** Reload, rejected reload and ordered shutdown, identical in all services. */
export function createService({ config, base, health, bus, report, prepare, steps }: ServiceParts): Service {
  const { logger, processLogger, metrics, metricsPrefix, audit, tracer } = base;
  const traces: readonly ShutdownStep[] = tracer === undefined ? [] : [{ name: "traces", run: tracer.close }];
  const actor = "process";
  const reloads = metrics.counter({
    name: `${metricsPrefix}_config_reloads_total`,
    help: "Configuration reloads, by result",
    labels: { result: ["applied", "refused"] },
  });
  let current = config;
  const reports = startServiceReports({ bus, base, health, own: report });
  const farewell: ShutdownStep = { name: "service report", run: reports.drain };
  const used = (next: Config): void => {
    const restartOnly = diffReload(current, next);
    current = next;
    base.configuration.reloaded(next);
    processLogger.setLevel(next.observability.log.level);
    reloads({ result: "applied" }).inc();
    audit.record({ event: "configuration.reload", outcome: "ok", actor });
    logger.info("configuration reloaded");
    if (restartOnly.length > 0) logger.warn({ keys: restartOnly }, "changed keys that need a restart");
  };
  return {
    logger,
    flushLogs: () => processLogger.flush(),
    prepare: async (next) => {
      audit.reopen();
      const prepared = await prepare(next);
      return {
        ...prepared,
        use: async () => {
          await prepared.use();
          used(next);
        },
      };
    },
    reloadRefused: (problems, err) => {
      base.configuration.refused(problems);
      reloads({ result: "refused" }).inc();
      audit.record({ event: "configuration.reload", outcome: "failed", actor });
      logger.error(
        err === undefined ? { problems } : { err },
        "configuration refused; the previous one stays in effect",
      );
    },
    drain: () => {
      health.phase = "draining";
    },
    shutdownTimes: () => {
      const { shutdown_delay: delayMs, shutdown_grace: graceMs } = current.runtime.timeouts;
      return { delayMs, graceMs };
    },
    stop: (graceMs) =>
      runSteps([farewell, ...steps, { name: "audit history", run: audit.close }, ...traces], graceMs, logger),
  };
}
