import { type AddressRateLimit, createAddressRateLimit } from "./address-rate-limit.ts";
import { type BodyPlaces, createBodyPlaces } from "./body-places.ts";
import { createBooking, type TakeShared } from "./budget-booking.ts";
import { type ConcurrencyGate, createConcurrencyGate } from "./concurrency-gate.ts";
import { monotonicUs } from "./debt-table.ts";
import { createFailureBudget, type FailureBudget, type FailureBudgetDeps, noFailureBudget } from "./failure-budget.ts";
import type { Rate } from "./gcra.ts";
import { createGuessesInFlight, type GuessesInFlight } from "./guesses-in-flight.ts";
import type { LimitMetrics } from "./limit-metrics.ts";
import { addressOfKey } from "./password-failures.ts";

export interface LimitsDeps {
  readonly takeShared: TakeShared;
  /** `middlewares.rate`: if false, there is neither a failure budget nor a per-address limit. */
  readonly rateLimited: boolean;
  readonly rate: () => Rate;
  /** The rate for wrong passwords of users who sign in over the API. */
  readonly passwordRate: () => Rate;
  /** Maximum time for the owner of a path to answer. */
  readonly forwardTimeoutMs: number;
  /** Infinity while `middlewares.limit` is off. */
  readonly maxConcurrentRequests: number;
  readonly announce: FailureBudgetDeps["announce"];
  readonly metrics: LimitMetrics;
  readonly logger: {
    warn(fields: object, message: string): void;
    info(message: string): void;
  };
}

/** The limits of this process, shared with other gateways where noted. */
export interface Limits {
  readonly budget: FailureBudget;
  /**
   * The same for wrong passwords of users: smaller than for callers, because users choose passwords and callers' credentials are generated.
   */
  readonly passwordBudget: FailureBudget;
  readonly addressLimit: AddressRateLimit;
  readonly guesses: GuessesInFlight;
  /** Compressed bodies of unauthenticated callers that the gateway is collecting. */
  readonly strangersBodies: BodyPlaces;
  readonly gate: ConcurrencyGate;
}

/** Takes about 200 bytes of memory per address. */
const maxAddresses = 65_536;
/** Takes 64 KiB (compressed) and 1 MiB (expanded) of memory each. */
const maxStrangersBodies = 64;
const maxWaitingForBookings = 1024;
/** A failure waits no longer for Redis; its answer is delayed by 300 ms anyway. */
const redisTimeoutMs = 100;
const redisRetryMs = 1000;

function createSharedBudgets(deps: LimitsDeps): Pick<Limits, "budget" | "passwordBudget"> {
  const { takeShared, rate, passwordRate, announce, metrics, logger } = deps;
  const booking = createBooking({
    take: takeShared,
    timeoutMs: redisTimeoutMs,
    retryMs: redisRetryMs,
    onAway: (err) => logger.warn({ err }, "failure budget: Redis is unavailable, this gateway counts locally"),
    onBack: () => logger.info("failure budget: Redis is available again, the budget is shared"),
  });
  const shared = {
    booking,
    now: monotonicUs,
    maxAddresses,
    maxWaiting: maxWaitingForBookings,
    announce,
    counted: metrics.budgetToken,
  };
  const onEmpty = (key: string, of: "callers" | "passwords"): void => {
    logger.warn({ transport: "http", client_ip: addressOfKey(key), budget: of }, "failure budget is empty");
  };
  const budget = createFailureBudget({ ...shared, rate, onEmpty: (key) => onEmpty(key, "callers") });
  const passwordBudget = createFailureBudget({
    ...shared,
    rate: passwordRate,
    onEmpty: (key) => onEmpty(key, "passwords"),
  });
  metrics.watchBudget({ addresses: () => budget.size + passwordBudget.size, isLocal: () => booking.away });
  return { budget, passwordBudget };
}

export function createLimits(deps: LimitsDeps): Limits {
  const { rateLimited, rate, maxConcurrentRequests, forwardTimeoutMs, metrics } = deps;
  const gate = createConcurrencyGate(maxConcurrentRequests, metrics.shed);
  metrics.watchGate(() => gate.inside);
  const guesses = createGuessesInFlight(forwardTimeoutMs);
  metrics.watchGuesses(() => guesses.size);
  const strangersBodies = createBodyPlaces(maxStrangersBodies, metrics.bodyShed);
  if (!rateLimited) {
    return {
      budget: noFailureBudget,
      passwordBudget: noFailureBudget,
      addressLimit: () => 0,
      guesses,
      strangersBodies,
      gate,
    };
  }
  const addressLimit = createAddressRateLimit({ rate, now: monotonicUs, maxAddresses });
  return { ...createSharedBudgets(deps), addressLimit, guesses, strangersBodies, gate };
}
