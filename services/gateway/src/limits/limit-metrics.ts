import type { Metrics } from "@postern/shared/metrics";
import type { Bucket } from "./failure-budget.ts";

type TokenResult = "taken" | "empty";

/** One function for each fact of the limits that is counted. */
export interface LimitMetrics {
  readonly budgetToken: (bucket: Bucket, result: TokenResult) => void;
  readonly rateLimited: () => void;
  readonly shed: () => void;
  readonly watchBudget: (of: { readonly addresses: () => number; readonly isLocal: () => boolean }) => void;
  readonly watchGate: (inside: () => number) => void;
}

export function createLimitMetrics(registry: Metrics, prefix: string): LimitMetrics {
  const tokens = registry.counter({
    name: `${prefix}_failure_budget_tokens_total`,
    help: "Tokens that failures asked for, by the bucket that had the last word and by what it said",
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
    help: "Requests without caller authentication that were answered 429",
    labels: {},
  })({});
  const shed = registry.counter({
    name: `${prefix}_concurrency_shed_total`,
    help: "Backchannel auth requests above auth.pipeline.max_concurrent_requests",
    labels: {},
  })({});
  return {
    budgetToken: (bucket, result) => series[bucket][result].inc(),
    rateLimited: () => limited.inc(),
    shed: () => shed.inc(),
    watchBudget: ({ addresses, isLocal }) => {
      registry.gauge({
        name: `${prefix}_failure_budget_addresses`,
        help: "Addresses that owe tokens",
        read: addresses,
      });
      registry.gauge({
        name: `${prefix}_failure_budget_local`,
        help: "1 while Redis is away and this gateway has budgets of its own",
        read: () => (isLocal() ? 1 : 0),
      });
    },
    watchGate: (inside) =>
      registry.gauge({
        name: `${prefix}_auth_in_flight`,
        help: "Backchannel auth requests being decided",
        read: inside,
      }),
  };
}
