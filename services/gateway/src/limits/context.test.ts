import { createMetrics } from "@postern/shared/platform/metrics";
import { expect, test, vi } from "vitest";
import { createLimits } from "./context.ts";
import { passwordKey } from "./password-failures.ts";
import { rateOf } from "./token-buckets.ts";

test("an empty budget is logged with the client's address and the kind of budget, and the gauge counts both", async () => {
  const warn = vi.fn<(fields: object, message?: string) => void>();
  const metrics = createMetrics();
  const rate = rateOf({ perSecond: 1, burst: 1 });
  const { budget, passwordBudget } = createLimits({
    takeShared: () => new Promise(() => undefined),
    rateLimited: true,
    live: { current: { rate, passwordRate: rate } },
    maxConcurrentRequests: 1,
    forwardTimeoutMs: 1000,
    announce: () => undefined,
    metrics,
    metricsPrefix: "postern",
    logger: { warn, info: () => undefined },
  });
  for (let round = 0; round < 2; round += 1) {
    void budget.spend("203.0.113.8");
    void passwordBudget.spend(passwordKey("203.0.113.9"));
  }
  expect(warn.mock.calls).toEqual([
    [{ transport: "http", client_ip: "203.0.113.8", budget: "callers" }, "failure budget is empty"],
    [{ transport: "http", client_ip: "203.0.113.9", budget: "passwords" }, "failure budget is empty"],
  ]);
  const { body } = await metrics.exposeTo(undefined);
  expect(body).toContain("\npostern_failure_budget_addresses 2\n");
});
