import {
  createDecisionHistory,
  createHistoryWriter,
  type DecisionHistory,
  type HistoryLimits,
  type WriteHistory,
} from "../domain/history/index.ts";
import type { Config } from "../platform/config/index.ts";
import type { RedisClient } from "../platform/redis/client.ts";
import { systemClock } from "../platform/time/clock.ts";
import { keyRingFromConfig } from "./key-ring-from-config.ts";

const purpose = "decision-history";

/** Whether decisions are recorded: not without a secret that encrypts them. */
export function recordsHistory({ observability, storage }: Config): boolean {
  return observability.decision_history.enabled && storage.redis.encryption_secret !== "";
}

function limitsOf({ observability }: Config): HistoryLimits {
  const { retention, per_account, per_network, max_accounts, max_networks } = observability.decision_history;
  return {
    lifeSeconds: Math.floor(retention / 1000),
    perAccount: per_account,
    perNetwork: per_network,
    maxAccounts: max_accounts,
    maxNetworks: max_networks,
  };
}

/** Undefined while no history is recorded. */
export function historyWriterFromConfig(
  config: Config,
  redis: RedisClient,
  instance: string,
): WriteHistory | undefined {
  const keys = recordsHistory(config) ? keyRingFromConfig(config, purpose) : undefined;
  const { prefix: keyPrefix } = config.storage.redis;
  return keys && createHistoryWriter({ redis, keyPrefix, keys, limits: limitsOf(config), instance });
}

/** Undefined while no history is recorded. */
export function historyFromConfig(config: Config, redis: RedisClient): DecisionHistory | undefined {
  const keys = recordsHistory(config) ? keyRingFromConfig(config, purpose) : undefined;
  const { prefix: keyPrefix } = config.storage.redis;
  const { retention: lifeMs } = config.observability.decision_history;
  return keys && createDecisionHistory({ redis, keyPrefix, keys, lifeMs, nowMs: () => systemClock.now() });
}
