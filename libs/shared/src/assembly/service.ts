import { type ServiceReport, serviceReportAsked, serviceReported } from "../contracts/index.ts";
import type { Bus } from "../platform/bus/index.ts";
import { type Config, diffReload, ownCertificates } from "../platform/config/index.ts";
import { type Health, openPrivateListener, type PrivateListener } from "../platform/lifecycle/index.ts";
import type { PreparedReload, Service } from "../platform/lifecycle/service-program.ts";
import { runSteps, type ShutdownStep } from "../platform/lifecycle/shutdown.ts";
import { version } from "../platform/lifecycle/version.ts";
import type { Logger } from "../platform/logging/logger.ts";
import type { Metrics } from "../platform/metrics/registry.ts";
import { parseHostPort } from "../platform/net/host-port.ts";
import type { Base } from "./base.ts";
import { certificateEnds } from "./certificate-expiry.ts";

/** What only this service can add to its report. */
export type OwnReport = Partial<Pick<ServiceReport, "backends" | "scripts" | "expiries" | "signingKeys">>;

/** The report of this process. A part that fails is absent from it. */
export function createServiceReport(
  { configuration, service, instance, logger }: Pick<Base, "service" | "instance" | "logger" | "configuration">,
  health: Health,
  own = async (): Promise<OwnReport> => ({}),
): () => Promise<ServiceReport> {
  return async () => {
    const [{ status, checks }, added] = await Promise.all([
      health.report(),
      own().catch((err: unknown): OwnReport => {
        logger.debug({ err }, "a part of the service report is missing");
        return {};
      }),
    ]);
    return {
      service,
      instance,
      version,
      startedMs: Math.floor(performance.timeOrigin),
      status,
      checks: { ...checks },
      configuration: configuration.report(),
      ...added,
      expiries: [...certificateEnds(ownCertificates(configuration.current(), service)), ...(added.expiries ?? [])],
    };
  };
}

/** Answers requests for reports, one at a time: requests that arrive meanwhile have the same answer. @returns sends a report now */
function startServiceReports(
  bus: Pick<Bus, "subscribe" | "publish" | "canPublish">,
  report: () => Promise<ServiceReport>,
  logger: Logger,
) {
  let isReporting = false;
  const answer = async (): Promise<void> => {
    if (isReporting || !bus.canPublish()) return;
    isReporting = true;
    try {
      bus.publish(serviceReported, await report());
    } catch (err) {
      logger.warn({ err }, "the service report could not be made");
    } finally {
      isReporting = false;
    }
  };
  bus.subscribe(serviceReportAsked, answer);
  return answer;
}

interface ServiceParts {
  readonly config: Config;
  readonly base: Base;
  readonly health: Health;
  readonly bus: Pick<Bus, "subscribe" | "publish" | "canPublish">;
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
  const sendReport = startServiceReports(bus, createServiceReport(base, health, report), logger);
  // Reports once more, as draining, so that operators do not miss this process.
  const lastReport: ShutdownStep = { name: "service report", run: () => void sendReport() };
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
      runSteps([lastReport, ...steps, { name: "audit history", run: audit.close }, ...traces], graceMs, logger),
  };
}

/** The private listener of a service. If the address is empty, nothing is opened. */
export async function privateListenerAt(
  address: string,
  deps: { readonly health: Health; readonly metrics: Metrics; readonly metricsPrefix: string },
): Promise<PrivateListener> {
  const hostPort = parseHostPort(address);
  if (hostPort === undefined) return { close: async () => undefined };
  return openPrivateListener({ address: hostPort, identifier: deps.metricsPrefix, ...deps });
}
