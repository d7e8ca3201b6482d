import { type AccountChanges, createAccountChanges } from "../domain/history/account-changes.ts";
import { createDecisionHistory, type DecisionHistory } from "../domain/history/read-decisions.ts";
import { createHistoryWriter, mostRecordsOfOne, type WriteHistory } from "../domain/history/write-decisions.ts";
import { createRehearsals, type Rehearsals } from "../domain/rehearsals/index.ts";
import type { Config } from "../platform/config/index.ts";
import type { RedisClient } from "../platform/redis/client.ts";
import { systemClock } from "../platform/time/clock.ts";
import type { Base } from "./base.ts";
import { keyRingFromConfig } from "./key-ring-from-config.ts";

/** Whether decisions are recorded: not without a secret that encrypts them. */
export function recordsHistory({ observability, storage }: Config): boolean {
  return observability.decision_history.enabled && storage.redis.encryption_secret !== "";
}

function storeOf(config: Config, redis: RedisClient) {
  const keys = recordsHistory(config) ? keyRingFromConfig(config, "decision-history") : undefined;
  return keys && { redis, keyPrefix: config.storage.redis.prefix, keys };
}

/** Undefined while no history is recorded. */
export function historyWriterFromConfig(
  config: Config,
  redis: RedisClient,
  instance: string,
): WriteHistory | undefined {
  const store = storeOf(config, redis);
  const { retention, counts_retention, per_account, per_network, max_accounts, max_networks } =
    config.observability.decision_history;
  const limits = {
    lifeSeconds: Math.floor(retention / 1000),
    countsSeconds: Math.floor(counts_retention / 1000),
    perAccount: per_account,
    perNetwork: per_network,
    maxAccounts: max_accounts,
    maxNetworks: max_networks,
  };
  return store && createHistoryWriter({ ...store, limits, instance });
}

/** Changes of accounts, and the note of those that this service audits. Undefined while no history is recorded. */
export function accountChangesFromConfig(
  config: Config,
  { audit, logger }: Pick<Base, "audit" | "logger">,
  redis: RedisClient,
): AccountChanges | undefined {
  const keys = recordsHistory(config) ? keyRingFromConfig(config, "account-changes") : undefined;
  if (keys === undefined) return undefined;
  const changes = createAccountChanges({
    redis,
    keyPrefix: config.storage.redis.prefix,
    keys,
    nowMs: () => systemClock.now(),
    onLost: (err) => logger.debug({ err }, "a change of an account could not be recorded for its timeline"),
  });
  audit.follow(changes.note);
  return changes;
}

/** Undefined while no history is recorded. */
export function historyFromConfig(config: Config, redis: RedisClient): DecisionHistory | undefined {
  const store = storeOf(config, redis);
  const {
    retention: lifeMs,
    counts_retention: countsMs,
    per_account,
    per_network,
  } = config.observability.decision_history;
  const recordsOfOne = mostRecordsOfOne({ perAccount: per_account, perNetwork: per_network });
  return store && createDecisionHistory({ ...store, lifeMs, countsMs, recordsOfOne, nowMs: () => systemClock.now() });
}

/** Undefined while no history is recorded: there is nothing to rehearse with. */
export function rehearsalsFromConfig(config: Config, redis: RedisClient): Rehearsals | undefined {
  const keys = recordsHistory(config) ? keyRingFromConfig(config, "rehearsal") : undefined;
  return keys && createRehearsals(redis, config.storage.redis.prefix, keys);
}
