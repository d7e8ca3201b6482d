import { createAudit, createAuditStream } from "../domain/audit/audit.ts";
import {
  type AuditEntry,
  createAuditHistory,
  createAuditHistoryRecorder,
  createAuditHistoryWriter,
  type ReadAuditHistory,
} from "../domain/history/index.ts";
import type { Config } from "../platform/config/index.ts";
import type { Logger, ProcessLogger } from "../platform/logging/logger.ts";
import type { Metrics } from "../platform/metrics/registry.ts";
import type { RedisClient } from "../platform/redis/client.ts";
import { systemClock } from "../platform/time/clock.ts";
import { keyRingFromConfig } from "./key-ring-from-config.ts";
import { redisFromConfig } from "./redis-from-config.ts";

const none = (): void => undefined;

/** The domain of an account; undefined while no domain has rules of its own. */
type FindDomain = (account: string) => string | undefined;

/**
 * The audit stream, `follow` for what else becomes of its records, `nameDomains` for the domains of accounts, `reopen` for its file, and `close`
 * for the copy in Redis.
 */
export function auditFromConfig(
  config: Config,
  { service, instance }: { readonly service: string; readonly instance: string },
  processLogger: ProcessLogger,
  metrics: Metrics,
) {
  const { identifier: metricsPrefix } = config.runtime.naming;
  const { enabled, file, address_truncation } = config.observability.audit;
  if (!enabled) return { record: none, follow: none, nameDomains: none, reopen: none, close: async () => undefined };
  const records = metrics.counter({
    name: `${metricsPrefix}_audit_records_total`,
    help: "Audit records, written and lost",
    labels: { result: ["written", "lost"] },
  });
  const written = records({ result: "written" });
  const lost = records({ result: "lost" });
  const stream = createAuditStream({ service, instance }, processLogger.stream, file, (err) => {
    lost.inc();
    processLogger.logger.error({ err }, "an audit line could not be written");
  });
  const history = recorderFromConfig(config, service, processLogger.logger, metrics);
  let followed: (entry: AuditEntry) => void = none;
  const write = (fields: Readonly<Record<string, string>>): void => {
    if (stream.write(fields)) written.inc();
    followed(fields);
    history?.note({ time: new Date().toISOString(), service, instance, ...fields });
  };
  let domainOf: FindDomain | undefined;
  const truncation = { ipv4Bits: address_truncation.ipv4_bits, ipv6Bits: address_truncation.ipv6_bits };
  return {
    ...createAudit(write, { truncation, domainOf: (account) => domainOf?.(account) }),
    /** Finds the domains of accounts in this way from now on. */
    nameDomains: (find: FindDomain): void => {
      domainOf = find;
    },
    /** Calls this one with every record from now on. */
    follow: (next: (entry: AuditEntry) => void): void => {
      followed = next;
    },
    reopen: stream.reopen,
    close: async () => history?.close(),
  };
}

/** Undefined while audit records are not kept in Redis: not without a secret that encrypts them. */
function keysOf(config: Config) {
  const { audit, audit_history } = config.observability;
  return audit.enabled && audit_history.enabled ? keyRingFromConfig(config, "audit-history") : undefined;
}

/** The connection is its own, so that a service without Redis has a history too. */
function recorderFromConfig(config: Config, service: string, logger: Logger, metrics: Metrics) {
  const keys = keysOf(config);
  if (keys === undefined) return undefined;
  const { retention, max_records: maxRecords } = config.observability.audit_history;
  const { identifier: metricsPrefix } = config.runtime.naming;
  const redis = redisFromConfig(config, "state", { service: `${service}-audit`, logger });
  const limits = { lifeSeconds: Math.floor(retention / 1000), maxRecords };
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
