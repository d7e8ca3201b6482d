import fc from "fast-check";
import { expect, test } from "vitest";
import { addCounts, latencyBounds, latencyQuantile, newCounts, positions } from "./counters.ts";
import { foldSteps } from "./read-rollups.ts";

const minuteMs = 60_000;

const period = fc.record({
  number: fc.integer({ min: 30_000_000, max: 30_000_400 }),
  ok: fc.nat({ max: 1000 }),
  bans: fc.option(fc.nat({ max: 9 }), { nil: undefined }),
});

test("folding loses no count, whatever the length of the steps", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(period, { selector: ({ number }) => number, maxLength: 80 }),
      fc.integer({ min: 1, max: 30 }),
      (periods, factor) => {
        const sorted = periods.toSorted((a, b) => a.number - b.number);
        const steps = foldSteps(
          sorted.map(({ number, ok, bans }) => {
            const counts = newCounts();
            counts[positions.outcomes.ok] = ok;
            return { timeMs: number * minuteMs, counts, bans };
          }),
          factor * minuteMs,
        );
        const sum = newCounts();
        for (const { counts } of steps) addCounts(sum, counts);
        expect(sum[positions.outcomes.ok]).toBe(periods.reduce((total, { ok }) => total + ok, 0));
        const times = steps.map(({ timeMs }) => timeMs);
        expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
        expect(times.every((timeMs) => timeMs % (factor * minuteMs) === 0)).toBe(true);
        // The number of bans is not added up: the last one that was counted holds.
        const lastStep = steps.at(-1);
        const inLast = sorted.filter(({ number }) => number * minuteMs >= (lastStep?.timeMs ?? 0));
        expect(lastStep?.bans).toBe(inLast.findLast(({ bans }) => bans !== undefined)?.bans);
      },
    ),
  );
});

const groupOf = (ms: number): number => {
  const index = latencyBounds.findIndex((bound) => ms <= bound);
  return index === -1 ? latencyBounds.length : index;
};

test("a quantile is in the group of the exact one", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.001, max: 9000, noNaN: true }), { minLength: 1, maxLength: 300 }),
      fc.constantFrom(0.5, 0.99, 1),
      (times, quantile) => {
        const counts = newCounts();
        for (const ms of times) {
          const position = positions.latency + groupOf(ms);
          counts[position] = (counts[position] ?? 0) + 1;
        }
        const found = latencyQuantile(counts, quantile) ?? Number.NaN;
        const exact = times.toSorted((a, b) => a - b)[Math.ceil(quantile * times.length) - 1] ?? 0;
        // The last group has no upper bound.
        expect(groupOf(found)).toBe(Math.min(groupOf(exact), latencyBounds.length - 1));
      },
    ),
  );
});

test("without decisions there is no quantile", () => {
  expect(latencyQuantile(newCounts(), 0.99)).toBeUndefined();
});
