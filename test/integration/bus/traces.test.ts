import type { Tracer } from "@postern/shared/platform/tracing";
import { type NatsServer, spawnNats } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { echo, makeBus, soon } from "./bus-fixture.ts";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

let nats: NatsServer;
beforeAll(async () => {
  nats = await spawnNats();
});
afterAll(() => nats.stop());

/** Everything it sends belongs to one trace; it lists what it was asked to continue. */
function fixedTracer(continued: (string | undefined)[]): Tracer {
  const span = { traceId: traceparent.slice(3, 35), traceparent, set: () => undefined, end: () => undefined };
  return {
    begin: () => span,
    child: () => span,
    active: () => span,
    resume: (_start, named) => {
      continued.push(named);
      return undefined;
    },
    run: (_span, work) => work(),
    close: async () => undefined,
  };
}

test.each([
  { from: "traces", to: "traces", expected: [traceparent, traceparent] },
  { from: "traces", to: "does not", expected: [] },
  { from: "does not", to: "traces", expected: [] },
])("a caller that $from and a server that $to work together", async ({ from, to, expected }) => {
  const continued: (string | undefined)[] = [];
  const tracer = fixedTracer(continued);
  await using server = await makeBus(nats.url, to === "traces" ? { tracer } : {});
  await using client = await makeBus(nats.url, from === "traces" ? { tracer } : {});
  server.serve(echo, async ({ text }) => ({ text }));
  await server.flush();
  const answers = await Promise.all(["a", "b"].map((text) => client.request(echo, { text }, soon())));
  expect(answers).toEqual([{ text: "a" }, { text: "b" }]);
  expect(continued).toEqual(expected);
});
