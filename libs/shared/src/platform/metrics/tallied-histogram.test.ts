import fc from "fast-check";
import { Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { createMetrics } from "./registry.ts";

const name = "service_wait_seconds";
const help = "Waits";
const labels = { level: ["memory", "redis"], outcome: ["hit", "miss"] } as const;
const buckets = [0.001, 0.01, 0.1, 1];
const row = fc.record({ level: fc.constantFrom(...labels.level), outcome: fc.constantFrom(...labels.outcome) });
const value = fc.oneof(
  fc.constantFrom(0, -0, 0.001, 0.0010000001, 0.1, 1, 2),
  fc.double({ noNaN: true, min: -5, max: 5 }),
);

/** Lines of a metric in any order, because the order of series has no meaning. */
function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => line.includes(name))
    .toSorted();
}

test("the text equals that of a histogram that prom-client counts itself, whatever is observed", async () => {
  const observation = fc.record({ row, value, readBefore: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(observation, { maxLength: 20 }), async (observations) => {
      const metrics = createMetrics();
      const ours = metrics.histogram({ name, help, labels, buckets });
      const registry = new Registry();
      const its = new Histogram({ name, help, labelNames: ["level", "outcome"], buckets, registers: [registry] });
      for (const level of labels.level) for (const outcome of labels.outcome) its.zero({ level, outcome });
      for (const { row: labelValues, value: seconds, readBefore } of observations) {
        if (readBefore) await metrics.expose();
        ours(labelValues).observe(seconds);
        its.labels(labelValues).observe(seconds);
      }
      expect(linesOf(await metrics.expose())).toEqual(linesOf(await registry.metrics()));
    }),
    { numRuns: 30 },
  );
});

test("every series exists before the first observation", async () => {
  const metrics = createMetrics();
  metrics.histogram({ name, help, labels, buckets });
  const text = await metrics.expose();
  expect(text.match(/_count\{.*\} 0$/gm)).toHaveLength(4);
  expect(text.match(/_bucket\{.*\} 0$/gm)).toHaveLength(4 * (buckets.length + 1));
});

test("a value that is not a number is rejected", () => {
  const series = createMetrics().histogram({ name, help, labels, buckets })({ level: "redis", outcome: "hit" });
  expect(() => series.observe(Number.NaN)).toThrow(TypeError);
});
