import { hostname } from "node:os";
import type { Config } from "../platform/config/index.ts";
import type { SharedByProcess } from "../platform/lifecycle/service-program.ts";
import { createLogger, type Logger, type ProcessLogger } from "../platform/logging/logger.ts";
import { createMetrics, type Metrics } from "../platform/metrics/registry.ts";
import { addTrustedRoots } from "../platform/net/trusted-roots.ts";
import { systemClock } from "../platform/time/clock.ts";
import type { Tracer } from "../platform/tracing/tracer.ts";
import { auditFromConfig, type ServiceAudit } from "./audit-from-config.ts";
import { exportCertificateExpiry } from "./certificate-expiry.ts";
import { type ConfigurationState, createConfigurationState } from "./configuration-state.ts";
import { isTraced, tracerFromConfig } from "./tracer-from-config.ts";

/** What every service has before anything else is constructed. */
export interface Base {
  readonly service: string;
  readonly shared: SharedByProcess;
  /** Identifies this process among its replicas. */
  readonly instance: string;
  readonly processLogger: ProcessLogger;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly audit: ServiceAudit;
  /** `runtime.naming.identifier`, the prefix of metric names. */
  readonly metricsPrefix: string;
  /** Absent if tracing is off. */
  readonly tracer: Tracer | undefined;
  readonly configuration: ConfigurationState;
}

export async function baseFromConfig(config: Config, service: string, shared: SharedByProcess): Promise<Base> {
  addTrustedRoots(config.runtime.outgoing_tls.ca_file);
  const instance = `${config.runtime.instance_name}@${hostname()}:${process.pid}`;
  const metricsPrefix = config.runtime.naming.identifier;
  // The tracer reports to the metrics, so it is created after them.
  const traces: { tracer: Tracer | undefined } = { tracer: undefined };
  const activeTrace = isTraced(config) ? () => traces.tracer?.active()?.traceId : undefined;
  const metrics = createMetrics(activeTrace, service === shared.services[0]);
  const droppedLines = metrics.counter({
    name: `${metricsPrefix}_log_lines_dropped_total`,
    help: "Log and audit lines that were dropped because standard output was not read",
    labels: {},
  })({});
  exportCertificateExpiry(config, { service, metrics, metricsPrefix });
  const { level } = config.observability.log;
  const processLogger = createLogger({
    service,
    instance,
    level,
    output: shared.output,
    onDropped: () => droppedLines.inc(),
  });
  const { logger } = processLogger;
  traces.tracer = await tracerFromConfig(config, { service, instance, logger, metrics, metricsPrefix });
  return {
    service,
    shared,
    instance,
    processLogger,
    logger,
    metrics,
    ...traces,
    audit: auditFromConfig(config, { service, instance, processLogger, metrics }),
    metricsPrefix,
    configuration: createConfigurationState(config, () => systemClock.now()),
  };
}
