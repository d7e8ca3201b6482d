import { type Audit, createAudit } from "../domain/audit/audit.ts";
import { createAuditStream } from "../domain/audit/audit-stream.ts";
import type { Config } from "../platform/config/index.ts";
import type { ProcessLogger } from "../platform/logging/logger.ts";
import type { Metrics } from "../platform/metrics/registry.ts";
import { auditHistoryRecorderFromConfig } from "./audit-history-from-config.ts";

export interface AuditParts {
  readonly service: string;
  readonly instance: string;
  readonly processLogger: ProcessLogger;
  readonly metrics: Metrics;
}

/** The audit stream, `reopen` for its file, and `close` for the copy in Redis. */
export interface ServiceAudit extends Audit {
  readonly reopen: () => void;
  readonly close: () => Promise<void>;
}

const nothing: ServiceAudit = { record: () => undefined, reopen: () => undefined, close: async () => undefined };

export function auditFromConfig(config: Config, parts: AuditParts): ServiceAudit {
  const { observability, runtime } = config;
  const { service, instance, processLogger, metrics } = parts;
  const { enabled, file, address_truncation } = observability.audit;
  if (!enabled) return nothing;
  const metricsPrefix = runtime.naming.identifier;
  const records = metrics.counter({
    name: `${metricsPrefix}_audit_records_total`,
    help: "Audit records, written and lost",
    labels: { result: ["written", "lost"] },
  });
  const written = records({ result: "written" });
  const lost = records({ result: "lost" });
  const stream = createAuditStream({
    service,
    instance,
    file,
    stream: processLogger.stream,
    onLost: (err) => {
      lost.inc();
      processLogger.logger.error({ err }, "an audit line could not be written");
    },
  });
  const history = auditHistoryRecorderFromConfig(config, { service, metrics, logger: processLogger.logger });
  const write = (fields: Readonly<Record<string, string>>): void => {
    if (stream.write(fields)) written.inc();
    history?.note({ time: new Date().toISOString(), service, instance, ...fields });
  };
  const truncation = { ipv4Bits: address_truncation.ipv4_bits, ipv6Bits: address_truncation.ipv6_bits };
  return {
    ...createAudit(write, truncation),
    reopen: stream.reopen,
    close: async () => history?.close(),
  };
}
