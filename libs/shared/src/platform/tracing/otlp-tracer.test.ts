import { expect, test } from "vitest";
import { createOtlpTracer, type SpanResult } from "./otlp-tracer.ts";
import type { SpanStart } from "./tracer.ts";

const sampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const unsampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

function tracerWith(ratio: number) {
  let described = 0;
  const results: Partial<Record<SpanResult, number>> = {};
  const tracer = createOtlpTracer({
    url: "http://127.0.0.1:9/v1/traces",
    headers: {},
    tls: undefined,
    ratio,
    service: "gateway",
    instance: "first",
    counted: (result, spans) => {
      results[result] = (results[result] ?? 0) + spans;
    },
    onReceiver: () => undefined,
  });
  const begin = (traceparent?: string) =>
    tracer.begin((): SpanStart => {
      described += 1;
      return { name: "GET /healthz", kind: "server" };
    }, traceparent);
  return { begin, described: () => described, results, close: tracer.close };
}

test("with ratio 0, no trace begins, and no span is described", () => {
  const { begin, described } = tracerWith(0);
  const begun = Array.from({ length: 100 }, () => begin());
  expect(begun.every((span) => span === undefined)).toBe(true);
  expect(described()).toBe(0);
});

test("with ratio 1, every request begins a separate trace", () => {
  const { begin } = tracerWith(1);
  const traces = Array.from({ length: 100 }, () => begin()?.traceId);
  expect(new Set(traces).size).toBe(100);
  expect(traces).not.toContain(undefined);
});

test("a ratio between them samples some requests", () => {
  const { begin } = tracerWith(0.5);
  const begun = Array.from({ length: 1000 }, () => begin() !== undefined);
  expect(new Set(begun)).toEqual(new Set([true, false]));
});

test("the trace that a request joins decides whether it is sampled, not the ratio", () => {
  expect(tracerWith(0).begin(sampled)?.traceId).toBe("4bf92f3577b34da6a3ce929d0e0e4736");
  expect(tracerWith(1).begin(unsampled)).toBeUndefined();
});

test("the spans that wait for a receiver are bounded; further ones are dropped and counted", async () => {
  const { begin, results, close } = tracerWith(1);
  for (let index = 0; index < 5000; index += 1) begin()?.end();
  // 2,048 wait, and one batch of 512 is being sent.
  expect(results).toEqual({ dropped: 5000 - 2048 - 512 });
  await close();
});
