import fc from "fast-check";
import { Counter, Gauge, Histogram, type OpenMetricsContentType, Registry } from "prom-client";
import { expect, test } from "vitest";
import { renderOpenMetrics } from "./open-metrics.ts";
import { createMetrics } from "./registry.ts";

const openMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const trace = "4bf92f3577b34da6a3ce929d0e0e4736";

test("counters, gauges and histograms are written as prom-client writes them", async () => {
  const text = fc.string({ unit: "grapheme", maxLength: 12 });
  // prom-client leaves quotation marks in HELP as they are; the format escapes them.
  const helpText = text.map((help) => help.replaceAll('"', ""));
  const amounts = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(helpText, text, amounts, async (help, label, values) => {
      const registry = new Registry<OpenMetricsContentType>();
      registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
      const common = { help: `x${help}`, labelNames: ["label"], registers: [registry] };
      const gauge = new Gauge({ name: "waits", ...common });
      const histogram = new Histogram({ name: "wait_seconds", buckets: [1, 1000], ...common });
      for (const value of values) {
        gauge.labels({ label }).set(value);
        histogram.labels({ label }).observe(value);
      }
      const counter = new Counter({ name: "waited_total", help: "Waited", registers: [registry] });
      counter.inc(values.length);
      // Listed first: prom-client renames its counters when it writes them.
      const ours = renderOpenMetrics(await registry.getMetricsAsJSON());
      expect(ours).toBe(await registry.metrics());
    }),
    { numRuns: 50 },
  );
});

test("scrapers that read OpenMetrics get the latest trace of each bucket; others get the plain format", async () => {
  let active: string | undefined = trace;
  const metrics = createMetrics(() => active);
  const options = { name: "wait_seconds", help: "Waits", labels: { kind: ["a"] }, buckets: [0.1, 1] } as const;
  const series = metrics.histogram(options)({ kind: "a" });
  series.observe(0.5);
  series.observe(7);
  active = undefined;
  series.observe(0.01);
  const { type, body } = await metrics.exposeTo("application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
  expect(type).toBe(openMetrics);
  const buckets = body.split("\n").filter((line) => line.startsWith("wait_seconds_bucket"));
  expect(buckets).toEqual([
    'wait_seconds_bucket{le="0.1",kind="a"} 1',
    expect.stringMatching(/^wait_seconds_bucket\{le="1",kind="a"\} 2 # \{trace_id="4bf9[0-9a-f]+"\} 0\.5 \d+\.\d{3}$/),
    expect.stringMatching(/^wait_seconds_bucket\{le="\+Inf",kind="a"\} 3 # \{trace_id="4bf9[0-9a-f]+"\} 7 \d+\.\d{3}$/),
  ]);
  const plain = await metrics.exposeTo("text/plain");
  expect(plain.type).toContain("text/plain");
  expect(plain.body).not.toContain("trace_id");
});

test("without tracing the format is the plain one, whatever the scraper reads", async () => {
  const { type } = await createMetrics().exposeTo("application/openmetrics-text");
  expect(type).toContain("text/plain");
});
