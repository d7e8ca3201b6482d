import { type AddressRateLimit, createAddressRateLimit } from "./address-rate-limit.ts";
import { createBooking, type TakeShared } from "./budget-booking.ts";
import { type ConcurrencyGate, createConcurrencyGate } from "./concurrency-gate.ts";
import { monotonicUs } from "./debt-table.ts";
import { createFailureBudget, type FailureBudget, type FailureBudgetDeps, noFailureBudget } from "./failure-budget.ts";
import type { Rate } from "./gcra.ts";
import type { LimitMetrics } from "./limit-metrics.ts";

export interface LimitsDeps {
  readonly takeShared: TakeShared;
  /** `middlewares.rate`: without it there is neither budget nor per-client limit. */
  readonly rateLimited: boolean;
  readonly rate: () => Rate;
  /** Infinity while `middlewares.limit` is off. */
  readonly maxConcurrentRequests: number;
  readonly announce: FailureBudgetDeps["announce"];
  readonly metrics: LimitMetrics;
  readonly logger: {
    warn(fields: object, message: string): void;
    info(message: string): void;
  };
}

/** How often anybody may ask. */
export interface Limits {
  readonly budget: FailureBudget;
  readonly addressLimit: AddressRateLimit;
  readonly gate: ConcurrencyGate;
}

/** Memory: about 200 bytes an address. */
const maxAddresses = 65_536;
const maxWaitingForBookings = 1024;
/** A failure waits no longer for Redis; it is answered after 300 ms anyway. */
const redisTimeoutMs = 100;
const redisRetryMs = 1000;

function createSharedBudget(deps: LimitsDeps): FailureBudget {
  const { takeShared, rate, announce, metrics, logger } = deps;
  const booking = createBooking({
    take: takeShared,
    timeoutMs: redisTimeoutMs,
    retryMs: redisRetryMs,
    onAway: (err) => logger.warn({ err }, "failure budget: redis is away, this gateway counts on its own"),
    onBack: () => logger.info("failure budget: redis is back, the budget is shared again"),
  });
  const budget = createFailureBudget({
    booking,
    rate,
    now: monotonicUs,
    maxAddresses,
    maxWaiting: maxWaitingForBookings,
    announce,
    counted: metrics.budgetToken,
    onEmpty: (address) => logger.warn({ transport: "http", client_ip: address }, "failure budget is empty"),
  });
  metrics.watchBudget({ addresses: () => budget.size, isLocal: () => booking.away });
  return budget;
}

export function createLimits(deps: LimitsDeps): Limits {
  const { rateLimited, rate, maxConcurrentRequests, metrics } = deps;
  const gate = createConcurrencyGate(maxConcurrentRequests, metrics.shed);
  metrics.watchGate(() => gate.inside);
  if (!rateLimited) return { budget: noFailureBudget, addressLimit: () => 0, gate };
  const addressLimit = createAddressRateLimit({ rate, now: monotonicUs, maxAddresses });
  return { budget: createSharedBudget(deps), addressLimit, gate };
}
