import fc from "fast-check";
import { expect, test } from "vitest";
import { formatDuration, parseDuration } from "./duration.ts";

test.each([
  ["250ms", 250],
  ["90s", 90_000],
  ["1h30m", 5_400_000],
  ["7d", 604_800_000],
  ["0s", 0],
  ["1.5s", 1500],
])("%s is %d ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(["", "5", "s", "5 s", "-5s", "5s extra", "1h 30m"])("%j is not a duration", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test("a formatted duration parses to itself", () => {
  fc.assert(
    fc.property(fc.nat(), (ms) => {
      expect(parseDuration(formatDuration(ms))).toBe(ms);
    }),
  );
});
