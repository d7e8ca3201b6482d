import fc from "fast-check";
import { expect, test } from "vitest";
import { firstPause } from "./key-source.ts";

test.each([
  [0, 100],
  [1000, 100],
  [10_000, 1000],
  [50_000, 5000],
  [3_600_000, 5000],
])("after waiting %i ms for a source, the next attempt follows within %i ms", (waitedMs, pauseMs) => {
  expect(firstPause(waitedMs, 5000, 1)).toBe(pauseMs);
  expect(firstPause(waitedMs, 5000, 0)).toBe(pauseMs / 2);
});

test("the pause never shrinks, and a source that stays unavailable is queried some 80 times before the pause has its full length", () => {
  fc.assert(
    fc.property(fc.nat(200_000), fc.nat(200_000), fc.double({ min: 0, max: 1, noNaN: true }), (one, two, random) => {
      const [earlier, later] = [Math.min(one, two), Math.max(one, two)];
      expect(firstPause(earlier, 5000, random)).toBeLessThanOrEqual(firstPause(later, 5000, random));
    }),
  );
  let attempts = 0;
  for (let waitedMs = 0; waitedMs < 50_000; waitedMs += firstPause(waitedMs, 5000, 0)) attempts += 1;
  expect(attempts).toBeLessThan(120);
});
