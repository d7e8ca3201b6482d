import { createCircuitBreaker, within } from "@postern/shared/platform/concurrency";
import { defineScript, failureBudgetKey, type RedisClient, readFields } from "@postern/shared/platform/redis";
import { steadyClock } from "@postern/shared/platform/time";
import takeFailureTokenLua from "./scripts/take-failure-token.lua?raw";
import type { Rate } from "./token-buckets.ts";

const takeFailureToken = {
  name: "takeFailureToken",
  lua: takeFailureTokenLua,
  keys: ["bucketKey"],
  args: ["intervalUs", "depthUs", "maxLifeMs"],
} as const;

/**
 * Takes a token from the bucket of an address that all gateways share; `debtUs` is the bucket's debt afterwards. Rejects if Redis does not
 * answer as expected.
 */
export function createTakeShared(client: RedisClient, keyPrefix: string) {
  const run = defineScript(client, takeFailureToken);
  const maxLifeMs = failureBudgetKey.ttlSeconds * 1000;
  return async (addressKey: string, { intervalUs, depthUs }: Rate) => {
    const reply = await run(
      { bucketKey: failureBudgetKey.build(keyPrefix, addressKey) },
      { intervalUs, depthUs, maxLifeMs },
    );
    const { granted, debtUs } = readFields(reply);
    if (typeof debtUs !== "number") throw new TypeError("the failure budget script did not return a number");
    return { granted: granted === 1, debtUs };
  };
}

export type TakeShared = ReturnType<typeof createTakeShared>;

interface Options {
  /** Maximum time that a failure waits for Redis. */
  readonly timeoutMs: number;
  /** Time between two attempts while Redis is unavailable. */
  readonly retryMs: number;
  readonly onUnavailable: (reason: unknown) => void;
  readonly onAvailable: () => void;
}

/**
 * Takes tokens in Redis. While Redis is unavailable it is retried in the background, one attempt at a time, and no failure waits for it.
 */
export function createSharedBudget(
  takeShared: TakeShared,
  { timeoutMs, retryMs, onUnavailable, onAvailable }: Options,
) {
  const breaker = createCircuitBreaker({ failureThreshold: 1, cooldownMs: retryMs, halfOpenMax: 1 }, steadyClock);
  const isUnavailable = (): boolean => breaker.state() !== "closed";
  const attempt = async (addressKey: string, rate: Rate) => {
    try {
      const result = await within(takeShared(addressKey, rate), timeoutMs);
      if (isUnavailable()) onAvailable();
      breaker.recovered();
      return result;
    } catch (reason) {
      if (!isUnavailable()) onUnavailable(reason);
      breaker.failed();
      return undefined;
    }
  };
  return {
    isUnavailable,
    /** Settles within the timeout, and without waiting while Redis is unavailable: undefined, and the local bucket applies. */
    take: async (addressKey: string, rate: Rate): ReturnType<typeof attempt> => {
      if (!isUnavailable()) return attempt(addressKey, rate);
      if (breaker.tryPass()) void attempt(addressKey, rate);
      return undefined;
    },
  };
}

export type SharedBudget = ReturnType<typeof createSharedBudget>;
