import { expect, test, vi } from "vitest";
import { createConcurrencyGate } from "./concurrency-gate.ts";

test("above the limit it says no at once, and a place that is given back is free again", () => {
  const onShed = vi.fn<() => void>();
  const gate = createConcurrencyGate(2, onShed);
  expect([gate.enter(), gate.enter(), gate.enter()]).toEqual([true, true, false]);
  expect([gate.inside, onShed.mock.calls.length]).toEqual([2, 1]);
  gate.leave();
  expect([gate.enter(), gate.enter()]).toEqual([true, false]);
});
