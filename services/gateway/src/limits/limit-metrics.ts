import type { Metrics } from "@postern/shared/platform/metrics";
import type { Bucket } from "./failure-budget.ts";

type TokenResult = "taken" | "empty";

/** One function for each metric of the limits. */
export interface LimitMetrics {
  readonly budgetToken: (bucket: Bucket, result: TokenResult) => void;
  readonly rateLimited: () => void;
  readonly shed: () => void;
  readonly bodyShed: () => void;
  readonly watchBudget: (of: { readonly addresses: () => number; readonly isLocal: () => boolean }) => void;
  readonly watchGate: (inside: () => number) => void;
  readonly watchGuesses: (inFlight: () => number) => void;
}

export function createLimitMetrics(registry: Metrics, prefix: string): LimitMetrics {
  const tokens = registry.counter({
    name: `${prefix}_failure_budget_tokens_total`,
    help: "Tokens requested by failures, by the bucket that decided and by result",
    labels: { bucket: ["shared", "local"], result: ["taken", "empty"] },
  });
  const series = {
    shared: {
      taken: tokens({ bucket: "shared", result: "taken" }),
      empty: tokens({ bucket: "shared", result: "empty" }),
    },
    local: { taken: tokens({ bucket: "local", result: "taken" }), empty: tokens({ bucket: "local", result: "empty" }) },
  };
  const limited = registry.counter({
    name: `${prefix}_rate_limited_total`,
    help: "Requests without caller authentication that were answered with 429",
    labels: {},
  })({});
  const shed = registry.counter({
    name: `${prefix}_concurrency_shed_total`,
    help: "Authentication requests rejected above auth.pipeline.max_concurrent_requests",
    labels: {},
  })({});
  const bodyShed = registry.counter({
    name: `${prefix}_compressed_bodies_shed_total`,
    help: "Requests of unauthenticated callers with a compressed body that were rejected because too many were being read",
    labels: {},
  })({});
  return {
    budgetToken: (bucket, result) => series[bucket][result].inc(),
    rateLimited: () => limited.inc(),
    shed: () => shed.inc(),
    bodyShed: () => bodyShed.inc(),
    watchBudget: ({ addresses, isLocal }) => {
      registry.gauge({
        name: `${prefix}_failure_budget_addresses`,
        help: "Addresses whose failure budget is not full",
        read: addresses,
      });
      registry.gauge({
        name: `${prefix}_failure_budget_local`,
        help: "1 while Redis is unavailable and this gateway keeps separate failure budgets",
        read: () => (isLocal() ? 1 : 0),
      });
    },
    watchGuesses: (inFlight) =>
      registry.gauge({
        name: `${prefix}_password_guesses_in_flight`,
        help: "Passwords being verified for the JWT endpoint",
        read: inFlight,
      }),
    watchGate: (inside) =>
      registry.gauge({
        name: `${prefix}_auth_in_flight`,
        help: "Authentication requests being decided",
        read: inside,
      }),
  };
}
