import type { Base } from "@postern/shared/assembly";
import { budgetExhausted } from "@postern/shared/contracts";
import type { Bus } from "@postern/shared/platform/bus";
import type { RedisClient } from "@postern/shared/platform/redis";
import { createSharedBuckets } from "../limits/budget-redis.ts";
import { createLimitMetrics, type LimitMetrics } from "../limits/limit-metrics.ts";
import { createLimits, type Limits } from "../limits/limits.ts";
import { budgetOf } from "../limits/password-failures.ts";
import type { GatewaySettings, LiveGatewaySettings } from "../settings.ts";

export interface LimitsParts {
  readonly settings: GatewaySettings;
  readonly live: { readonly current: LiveGatewaySettings };
  readonly bus: Bus;
  readonly state: RedisClient;
  readonly base: Base;
}

/** The limits, and the events with which gateways share them. */
export function limitsOnTheBus({ base, settings, live, bus, state }: LimitsParts): {
  limits: Limits;
  metrics: LimitMetrics;
} {
  const { logger, instance } = base;
  const metrics = createLimitMetrics(base.metrics, base.metricsPrefix);
  const limits = createLimits({
    ...settings,
    takeShared: createSharedBuckets(state, settings.keyPrefix),
    rate: () => live.current.rate,
    passwordRate: () => live.current.passwordRate,
    announce: (addressKey, emptyForMs) => bus.publish(budgetExhausted, { instance, addressKey, emptyForMs }),
    metrics,
    logger,
  });
  bus.subscribe(budgetExhausted, (message) => {
    if (message.instance !== instance)
      budgetOf(message.addressKey, limits).learn(message.addressKey, message.emptyForMs);
  });
  return { limits, metrics };
}
