import { Type } from "typebox";
import { expect, test } from "vitest";
import { defineEvent, defineMethod, methodAt } from "../../contracts/define.ts";
import { AppError, fromUnknown } from "../errors/app-error.ts";
import { steadyClock } from "../time/clock.ts";
import type { Span, SpanStart, Tracer } from "../tracing/tracer.ts";
import { type ConnectBusOptions, connectBus } from "./connect.ts";
import { LocalBus } from "./local-bus.ts";

const double = defineMethod({
  service: "calculator",
  name: "double",
  major: 1,
  request: Type.Object({ values: Type.Array(Type.Number()) }),
  reply: Type.Object({ values: Type.Array(Type.Number()) }),
});
const changed = defineEvent({ domain: "sums", fact: "changed", major: 1, body: Type.Object({ sum: Type.Number() }) });
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const soon = () => ({ deadline: steadyClock.now() + 10_000 });
const doubled = (values: readonly number[]) => ({ values: values.map((value) => 2 * value) });

/** Two services of one process without NATS. */
async function twoServices(more: Partial<ConnectBusOptions> = {}, isStrict = true) {
  const local = new LocalBus(["asker", "calculator"], isStrict);
  const options = { servers: [], namespace: "test", logger: quiet, local, ...more };
  const [asker, calculator] = [
    await connectBus({ ...options, name: "asker" }),
    await connectBus({ ...options, name: "calculator" }),
  ];
  return { asker, calculator };
}

async function codeOf(request: Promise<unknown>): Promise<string> {
  return request.then(
    () => "answered",
    (thrown: unknown) => fromUnknown(thrown).code,
  );
}

test("a request is answered by the service of this process", async () => {
  const { asker, calculator } = await twoServices();
  calculator.serve(double, async ({ values }) => doubled(values), { instance: "one" });
  expect(await asker.request(double, { values: [1, 2] }, soon())).toEqual({ values: [2, 4] });
  expect(await asker.request(methodAt(double, "one"), { values: [3] }, soon())).toEqual({ values: [6] });
  expect(await codeOf(asker.request(methodAt(double, "two"), { values: [3] }, soon()))).toBe("BUS_NO_RESPONDERS");
  expect(asker.isConnected()).toBe(true);
  expect(asker.hasLocal("calculator")).toBe(true);
});

test("what no service of the process serves has no responders", async () => {
  const { asker, calculator } = await twoServices();
  expect(await codeOf(asker.request(double, { values: [] }, soon()))).toBe("BUS_NO_RESPONDERS");
  calculator.serve(double, async ({ values }) => doubled(values));
  await calculator.drain();
  expect(await codeOf(asker.request(double, { values: [] }, soon()))).toBe("BUS_NO_RESPONDERS");
});

test("neither side can change what the other one has", async () => {
  const { asker, calculator } = await twoServices();
  calculator.serve(double, async (request) => {
    request.values.push(1);
    return request;
  });
  expect(await codeOf(asker.request(double, { values: [] }, soon()))).toBe("INTERNAL");
  const { asker: other, calculator: good } = await twoServices();
  good.serve(double, async ({ values }) => doubled(values));
  const reply = await other.request(double, { values: [1] }, soon());
  expect(() => reply.values.push(3)).toThrow(TypeError);
});

test("a request that does not match its schema is refused, checked strictly or not", async () => {
  for (const isStrict of [true, false]) {
    const { asker, calculator } = await twoServices({}, isStrict);
    calculator.serve(double, async ({ values }) => doubled(values));
    const request: { values: number[] } = JSON.parse('{"values":["one"]}');
    expect(await codeOf(asker.request(double, request, soon()))).toBe("REQUEST_MALFORMED");
  }
});

test("a reply that does not match its schema is found in tests", async () => {
  const { asker, calculator } = await twoServices();
  calculator.serve(double, async () => JSON.parse("{}"));
  expect(await codeOf(asker.request(double, { values: [] }, soon()))).toBe("UPSTREAM_UNAVAILABLE");
});

test("errors reach the caller without their details, and unexpected ones are reported", async () => {
  const reported: string[] = [];
  const { asker, calculator } = await twoServices({
    onError: (error, subject) => reported.push(`${subject} ${error.message}`),
  });
  calculator.serve(double, async ({ values }) => {
    if (values.length > 0) throw new TypeError("secret detail");
    throw new AppError("OVERLOADED", { detail: "secret detail", retryAfterSeconds: 3 });
  });
  const thrown = fromUnknown(await asker.request(double, { values: [] }, soon()).catch((error: unknown) => error));
  expect(thrown).toMatchObject({ code: "OVERLOADED", retryAfterSeconds: 3, message: "OVERLOADED" });
  expect(reported).toEqual([]);
  const unexpected = fromUnknown(await asker.request(double, { values: [1] }, soon()).catch((error: unknown) => error));
  expect(unexpected).toMatchObject({ code: "INTERNAL", message: "INTERNAL" });
  expect(reported).toEqual(["test.rpc.calculator.double.v1 INTERNAL: secret detail"]);
});

test("the limits of both sides hold", async () => {
  const { asker, calculator } = await twoServices({ maxOutstanding: 2 });
  const gate = Promise.withResolvers<{ values: number[] }>();
  const serving = calculator.serve(double, () => gate.promise, { maxInFlight: 1 });
  const first = asker.request(double, { values: [1] }, soon());
  expect(serving.inFlight()).toBe(1);
  expect(await codeOf(asker.request(double, { values: [2] }, soon()))).toBe("OVERLOADED");
  const { asker: full, calculator: slow } = await twoServices({ maxOutstanding: 1 });
  slow.serve(double, () => gate.promise);
  const waiting = full.request(double, { values: [1] }, soon());
  expect(full.outstanding()).toBe(1);
  expect(await codeOf(full.request(double, { values: [2] }, soon()))).toBe("BUS_BACKLOG");
  gate.resolve({ values: [2] });
  expect(await first).toEqual({ values: [2] });
  expect(await waiting).toEqual({ values: [2] });
  expect(full.outstanding()).toBe(0);
});

test("a request ends at its deadline, and when its caller aborts it", async () => {
  const { asker, calculator } = await twoServices();
  const deadlines: boolean[] = [];
  calculator.serve(double, async (_request, { signal }) => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => {
      deadlines.push(fromUnknown(signal.reason).code === "DEADLINE_EXCEEDED");
      reject(signal.reason);
    });
    return promise;
  });
  const late = asker.request(double, { values: [] }, { deadline: steadyClock.now() + 30 });
  expect(await codeOf(late)).toBe("DEADLINE_EXCEEDED");
  expect(await codeOf(asker.request(double, { values: [] }, { deadline: steadyClock.now() - 1 }))).toBe(
    "DEADLINE_EXCEEDED",
  );
  const abort = new AbortController();
  const aborted = asker.request(double, { values: [] }, { ...soon(), signal: abort.signal });
  abort.abort();
  expect(await codeOf(aborted)).toBe("REQUEST_ABORTED");
  await expect.poll(() => deadlines).toEqual([true]);
});

test("each request has an id of its own", async () => {
  const { asker, calculator } = await twoServices();
  const ids = new Set<string>();
  calculator.serve(double, async ({ values }, { requestId }) => {
    ids.add(requestId);
    return doubled(values);
  });
  await Promise.all([1, 2, 3].map((value) => asker.request(double, { values: [value] }, soon())));
  expect(ids.size).toBe(3);
});

test("events reach every subscriber of the process, in the same turn of the event loop", async () => {
  const { asker, calculator } = await twoServices();
  const heard: number[] = [];
  const subscription = asker.subscribe(changed, ({ sum }) => void heard.push(sum));
  calculator.subscribe(changed, ({ sum }) => void heard.push(-sum));
  expect(calculator.publish(changed, { sum: 3 })).toBe(true);
  expect(heard).toEqual([]);
  await Promise.resolve();
  expect(new Set(heard)).toEqual(new Set([3, -3]));
  subscription.unsubscribe();
  calculator.publish(changed, { sum: 4 });
  await Promise.resolve();
  expect(heard).toHaveLength(3);
});

test("the spans of both sides say that the call stays in the process", async () => {
  const begun: SpanStart[] = [];
  const begin = (start: SpanStart): Span => {
    begun.push(start);
    return { traceId: "1", traceparent: "00-1-1-01", set: () => undefined, end: () => undefined };
  };
  const tracer: Tracer = {
    begin: () => undefined,
    resume: begin,
    child: begin,
    active: () => undefined,
    run: (_span, work) => work(),
    close: async () => undefined,
  };
  const { asker, calculator } = await twoServices({ tracer });
  calculator.serve(double, async ({ values }) => doubled(values));
  await asker.request(double, { values: [1] }, soon());
  const attributes = { "rpc.system.name": "inproc", "rpc.method": "calculator/double" };
  expect(begun).toMatchObject([
    { kind: "client", attributes },
    { kind: "server", attributes },
  ]);
});
