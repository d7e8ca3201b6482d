import fc from "fast-check";
import { expect, test } from "vitest";
import { durationMs } from "./read-metadata.ts";

test.each([
  ["PT0S", 0],
  ["PT1H", 3_600_000],
  ["P1D", 86_400_000],
  ["P1DT1H1M1.5S", 90_061_000],
  ["P1M", 30 * 86_400_000],
  ["PT1M", 60_000],
  ["P1Y", 365 * 86_400_000],
])("%s is %d ms", (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});

test.each(["", "P", "PT", "P1DT", "-P1D", "P-1D", "1D", "P1H", "PT1D", "P1D ", "P1.5D", "P99999999999D", "PT1H1H"])(
  "%j is not a duration",
  (text) => {
    expect(durationMs(text)).toBeUndefined();
  },
);

test("days, hours, minutes and seconds add up", () => {
  const part = fc.integer({ min: 0, max: 9999 });
  fc.assert(
    fc.property(part, part, part, part, (days, hours, minutes, seconds) => {
      const sum = days * 86_400 + hours * 3600 + minutes * 60 + seconds;
      expect(durationMs(`P${days}DT${hours}H${minutes}M${seconds}S`)).toBe(sum * 1000);
    }),
  );
});
