import type { Base } from "@postern/shared/assembly";
import { budgetExhausted } from "@postern/shared/contracts";
import type { Metrics } from "@postern/shared/platform/metrics";
import type { Foundation } from "../foundation.ts";
import type { GatewaySettings, LiveGatewaySettings } from "../settings.ts";
import { createBodyPlaces, createConcurrencyGate, createGuessesInFlight } from "./concurrency.ts";
import { createFailureBudget, type FailureBudget, type FailureBudgetDeps, noFailureBudget } from "./failure-budget.ts";
import { addressOfKey, isPasswordKey } from "./password-failures.ts";
import { createSharedBudget, createTakeShared, type TakeShared } from "./shared-budget-redis.ts";
import { type AddressRateLimit, createAddressRateLimit, monotonicUs } from "./token-buckets.ts";

/** Takes about 200 bytes of memory per address. */
const maxAddresses = 65_536;
/** Takes 64 KiB (compressed) and 1 MiB (expanded) of memory each. */
const maxStrangersBodies = 64;
const maxWaitingForBookings = 1024;
/** A failure waits no longer for Redis; its answer is delayed by 300 ms anyway. */
const redisTimeoutMs = 100;
const redisRetryMs = 1000;

function createTokenCounter(metrics: Metrics, prefix: string): FailureBudgetDeps["counted"] {
  const tokens = metrics.counter({
    name: `${prefix}_failure_budget_tokens_total`,
    help: "Tokens requested by failures, by the bucket that decided and by result",
    labels: { bucket: ["shared", "local"], result: ["taken", "empty"] },
  });
  return (bucket, result) => tokens({ bucket, result }).inc();
}

function createShedCounters(metrics: Metrics, prefix: string) {
  const rateLimited = metrics.counter({
    name: `${prefix}_rate_limited_total`,
    help: "Requests without caller authentication that were answered with 429",
    labels: {},
  })({});
  const requests = metrics.counter({
    name: `${prefix}_concurrency_shed_total`,
    help: "Authentication requests rejected above auth.pipeline.max_concurrent_requests",
    labels: {},
  })({});
  const bodies = metrics.counter({
    name: `${prefix}_compressed_bodies_shed_total`,
    help: "Requests of unauthenticated callers with a compressed body that were rejected because too many were being read",
    labels: {},
  })({});
  return { rateLimited, requests, bodies };
}

interface LimitsDeps
  extends Pick<GatewaySettings, "rateLimited" | "forwardTimeoutMs" | "maxConcurrentRequests">,
    Pick<Base, "metrics" | "metricsPrefix"> {
  readonly logger: Pick<Base["logger"], "warn" | "info">;
  readonly takeShared: TakeShared;
  readonly live: { readonly current: Pick<LiveGatewaySettings, "rate" | "passwordRate"> };
  readonly announce: FailureBudgetDeps["announce"];
}

type Budgets = { readonly budget: FailureBudget; readonly passwordBudget: FailureBudget };

function createBudgets(
  { takeShared, live, announce, metrics, metricsPrefix, logger }: LimitsDeps,
  counted: FailureBudgetDeps["counted"],
): Budgets {
  const shared = createSharedBudget(takeShared, {
    timeoutMs: redisTimeoutMs,
    retryMs: redisRetryMs,
    onUnavailable: (err) => logger.warn({ err }, "failure budget: Redis is unavailable, this gateway counts locally"),
    onAvailable: () => logger.info("failure budget: Redis is available again, the budget is shared"),
  });
  const budgetFor = (users: "callers" | "passwords", rate: FailureBudgetDeps["rate"]): FailureBudget =>
    createFailureBudget({
      shared,
      now: monotonicUs,
      maxAddresses,
      maxWaiting: maxWaitingForBookings,
      announce,
      counted,
      rate,
      onEmpty: (key) =>
        logger.warn({ transport: "http", client_ip: addressOfKey(key), budget: users }, "failure budget is empty"),
    });
  const budget = budgetFor("callers", () => live.current.rate);
  // Smaller than for callers, because users choose passwords and callers' credentials are generated.
  const passwordBudget = budgetFor("passwords", () => live.current.passwordRate);
  metrics.gauge({
    name: `${metricsPrefix}_failure_budget_addresses`,
    help: "Addresses whose failure budget is not full",
    read: () => budget.size + passwordBudget.size,
  });
  metrics.gauge({
    name: `${metricsPrefix}_failure_budget_local`,
    help: "1 while Redis is unavailable and this gateway keeps separate failure budgets",
    read: () => (shared.isUnavailable() ? 1 : 0),
  });
  return { budget, passwordBudget };
}

/** The limits of this process, of which gateways share the budgets. Without `middlewares.rate`, there are no limits by address. */
export function createLimits(deps: LimitsDeps) {
  const { rateLimited, live, maxConcurrentRequests, forwardTimeoutMs, metrics, metricsPrefix: prefix } = deps;
  const shed = createShedCounters(metrics, prefix);
  const gate = createConcurrencyGate(maxConcurrentRequests, () => shed.requests.inc());
  metrics.gauge({
    name: `${prefix}_auth_in_flight`,
    help: "Authentication requests being decided",
    read: gate.inside,
  });
  const guesses = createGuessesInFlight(forwardTimeoutMs);
  metrics.gauge({
    name: `${prefix}_password_guesses_in_flight`,
    help: "Passwords being verified for the JWT endpoint",
    read: guesses.size,
  });
  const strangersBodies = createBodyPlaces(maxStrangersBodies, () => shed.bodies.inc());
  const counted = createTokenCounter(metrics, prefix);
  const budgets = rateLimited
    ? createBudgets(deps, counted)
    : { budget: noFailureBudget, passwordBudget: noFailureBudget };
  const addressLimit: AddressRateLimit = rateLimited
    ? createAddressRateLimit(maxAddresses, () => live.current.rate)
    : () => 0;
  return { ...budgets, addressLimit, guesses, strangersBodies, gate, limited: () => shed.rateLimited.inc() };
}

export type Limits = ReturnType<typeof createLimits>;

/** The limits, and the event with which gateways share that a budget is empty. */
export function limitsOnTheBus(foundation: Foundation): Limits {
  const { instance, settings, bus, state } = foundation;
  const limits = createLimits({
    ...foundation,
    ...settings,
    takeShared: createTakeShared(state, settings.keyPrefix),
    announce: (addressKey, emptyForMs) => bus.publish(budgetExhausted, { instance, addressKey, emptyForMs }),
  });
  bus.subscribe(budgetExhausted, ({ instance: sender, addressKey, emptyForMs }) => {
    if (sender === instance) return;
    const { budget, passwordBudget } = limits;
    (isPasswordKey(addressKey) ? passwordBudget : budget).learn(addressKey, emptyForMs);
  });
  return limits;
}
