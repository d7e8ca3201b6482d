import { hostname } from "node:os";
import type { Config } from "../platform/config/index.ts";
import { createLogger, type Logger, type ProcessLogger } from "../platform/logging/logger.ts";
import { createMetrics, type Metrics } from "../platform/metrics/registry.ts";
import { auditFromConfig, type ServiceAudit } from "./audit-from-config.ts";

/** What every service has before anything else is constructed. */
export interface Base {
  readonly service: string;
  /** Identifies this process among its replicas. */
  readonly instance: string;
  readonly processLogger: ProcessLogger;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly audit: ServiceAudit;
  /** `runtime.naming.identifier`, the prefix of metric names. */
  readonly metricsPrefix: string;
}

export function baseFromConfig(config: Config, service: string): Base {
  const instance = `${config.runtime.instance_name}@${hostname()}:${process.pid}`;
  const metricsPrefix = config.runtime.naming.identifier;
  const metrics = createMetrics();
  const droppedLines = metrics.counter({
    name: `${metricsPrefix}_log_lines_dropped_total`,
    help: "Log and audit lines that were dropped because standard output was not read",
    labels: {},
  })({});
  const { level } = config.observability.log;
  const processLogger = createLogger({ service, instance, level, onDropped: () => droppedLines.inc() });
  return {
    service,
    instance,
    processLogger,
    logger: processLogger.logger,
    metrics,
    audit: auditFromConfig(config, { service, instance, processLogger, metrics }),
    metricsPrefix,
  };
}
