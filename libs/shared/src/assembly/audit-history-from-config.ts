import {
  type AuditHistoryRecorder,
  createAuditHistory,
  createAuditHistoryRecorder,
  createAuditHistoryWriter,
  type ReadAuditHistory,
} from "../domain/audit-history/index.ts";
import type { Config } from "../platform/config/index.ts";
import type { Logger } from "../platform/logging/logger.ts";
import type { Metrics } from "../platform/metrics/registry.ts";
import type { RedisClient } from "../platform/redis/client.ts";
import { systemClock } from "../platform/time/clock.ts";
import { keyRingFromConfig } from "./key-ring-from-config.ts";
import { redisFromConfig } from "./redis-from-config.ts";

const purpose = "audit-history";

interface Parts {
  readonly service: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Not without a secret that encrypts it. */
function keysOf(config: Config) {
  const { audit, audit_history } = config.observability;
  return audit.enabled && audit_history.enabled ? keyRingFromConfig(config, purpose) : undefined;
}

/** Undefined while audit records are not kept in Redis. Its connection is its own, so that a service without Redis has a history too. */
export function auditHistoryRecorderFromConfig(config: Config, parts: Parts): AuditHistoryRecorder | undefined {
  const keys = keysOf(config);
  if (keys === undefined) return undefined;
  const { service, logger, metrics } = parts;
  const { retention, max_records: maxRecords } = config.observability.audit_history;
  const redis = redisFromConfig(config, "state", { service: `${service}-audit`, logger });
  const limits = { lifeSeconds: Math.floor(retention / 1000), maxRecords };
  const metricsPrefix = config.runtime.naming.identifier;
  const records = metrics.counter({
    name: `${metricsPrefix}_audit_history_records_total`,
    help: "Audit records that were copied to Redis for the console, and those that were not",
    labels: { result: ["written", "lost"] },
  });
  let isLosing = false;
  const recorder = createAuditHistoryRecorder({
    write: createAuditHistoryWriter({ redis, keyPrefix: config.storage.redis.prefix, keys, limits }),
    isReady: () => redis.status === "ready",
    onWritten: (count) => {
      isLosing = false;
      records({ result: "written" }).inc(count);
    },
    onLost: (count, err) => {
      if (!isLosing)
        logger.warn({ err }, "audit records are missing on the console's audit page; the audit stream has them");
      isLosing = true;
      records({ result: "lost" }).inc(count);
    },
  });
  return {
    note: recorder.note,
    close: async () => {
      await recorder.close();
      redis.disconnect();
    },
  };
}

/** Undefined while audit records are not kept in Redis. */
export function auditHistoryFromConfig(config: Config, redis: RedisClient): ReadAuditHistory | undefined {
  const keys = keysOf(config);
  const { retention: lifeMs } = config.observability.audit_history;
  const { prefix: keyPrefix } = config.storage.redis;
  return keys && createAuditHistory({ redis, keyPrefix, keys, lifeMs, nowMs: () => systemClock.now() });
}
