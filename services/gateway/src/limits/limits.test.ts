import { expect, test, vi } from "vitest";
import { rateOf } from "./gcra.ts";
import type { LimitMetrics } from "./limit-metrics.ts";
import { createLimits } from "./limits.ts";
import { passwordKey } from "./password-failures.ts";

test("an empty budget is logged with the client's address and the kind of budget, and the gauge counts both", () => {
  const warn = vi.fn<(fields: object, message: string) => void>();
  let addresses: (() => number) | undefined;
  const metrics: LimitMetrics = {
    budgetToken: () => undefined,
    rateLimited: () => undefined,
    shed: () => undefined,
    bodyShed: () => undefined,
    watchBudget: (of) => {
      addresses = of.addresses;
    },
    watchGate: () => undefined,
    watchGuesses: () => undefined,
  };
  const rate = rateOf({ perSecond: 1, burst: 1 });
  const { budget, passwordBudget } = createLimits({
    takeShared: () => new Promise(() => undefined),
    rateLimited: true,
    rate: () => rate,
    passwordRate: () => rate,
    maxConcurrentRequests: 1,
    forwardTimeoutMs: 1000,
    announce: () => undefined,
    metrics,
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
  expect(addresses?.()).toBe(2);
});
