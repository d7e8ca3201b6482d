import { expect, test, vi } from "vitest";
import { createConcurrencyGate } from "./concurrency.ts";

test("requests above the limit are rejected immediately, and a released slot can be used again", () => {
  const onShed = vi.fn<() => void>();
  const gate = createConcurrencyGate(2, onShed);
  expect([gate.enter(), gate.enter(), gate.enter()]).toEqual([true, true, false]);
  expect([gate.inside(), onShed.mock.calls.length]).toEqual([2, 1]);
  gate.leave();
  expect([gate.enter(), gate.enter()]).toEqual([true, false]);
});
