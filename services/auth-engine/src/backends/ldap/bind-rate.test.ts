import { expect, it } from "vitest";
import { createBindRate } from "./connection-pools.ts";

it("allows a burst, then the rate, and everything if no rate is configured", () => {
  let now = 0;
  const clock = { now: () => now };
  const take = createBindRate({ perSecond: 10, burst: 3 }, clock);
  expect([take(), take(), take(), take()]).toEqual([true, true, true, false]);
  now = 99;
  expect(take()).toBe(false);
  now = 100;
  expect([take(), take()]).toEqual([true, false]);
  // A clock that is set back does not remove tokens.
  now = 50;
  expect(take()).toBe(false);
  const free = createBindRate({ perSecond: 0, burst: 0 }, clock);
  expect(Array.from({ length: 9 }, free)).not.toContain(false);
});
