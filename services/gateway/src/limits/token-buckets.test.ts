import fc from "fast-check";
import { expect, test } from "vitest";
import { debtAt, debtWithTokenIn, type Rate, rateOf, untilTokenUs } from "./token-buckets.ts";

const settings = fc.record({ perSecond: fc.integer({ min: 1, max: 5000 }), burst: fc.integer({ min: 1, max: 500 }) });

/** Takes a token at each of the times if one is available; returns the number of tokens taken. */
function takeAt(times: readonly number[], rate: Rate): number {
  let fullAtUs = 0;
  let taken = 0;
  for (const now of times) {
    const debt = debtAt(fullAtUs, now, rate);
    if (untilTokenUs(debt, rate) > 0) continue;
    fullAtUs = now + debt + rate.intervalUs;
    taken += 1;
  }
  return taken;
}

test("a full bucket has exactly burst tokens", () => {
  fc.assert(
    fc.property(settings, fc.nat(1_000_000), ({ perSecond, burst }, at) => {
      const times = Array.from({ length: burst + 3 }, () => at);
      expect(takeAt(times, rateOf({ perSecond, burst }))).toBe(burst);
    }),
  );
});

test("at any times, never more tokens are taken than burst plus refill", () => {
  fc.assert(
    fc.property(settings, fc.array(fc.nat(50_000), { minLength: 1, maxLength: 500 }), (rate, steps) => {
      let now = 0;
      const times = steps.map((step) => (now += step));
      const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000_000;
      expect(takeAt(times, rateOf(rate))).toBeLessThanOrEqual(rate.burst + seconds * rate.perSecond + 1);
    }),
  );
});

test("a caller that waits for the returned time gets the token", () => {
  fc.assert(
    fc.property(settings, fc.nat(), (settingsOf, debt) => {
      const rate = rateOf(settingsOf);
      const owed = Math.min(debt, rate.depthUs);
      const wait = untilTokenUs(owed, rate);
      expect(untilTokenUs(debtAt(owed, wait, rate), rate)).toBe(0);
      expect(wait).toBeLessThanOrEqual(rate.intervalUs);
      if (wait > 0) expect(debtWithTokenIn(wait, rate)).toBe(owed);
    }),
  );
});
