import { connect } from "@nats-io/transport-node";
import { methodSubject } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { type NatsServer, pause, poll, spawnNats } from "@postern/testing";
import { Type } from "typebox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countMetrics, echo, failureCode, makeBus, namespace, soon } from "./bus-fixture.ts";

let nats: NatsServer;
beforeAll(async () => {
  nats = await spawnNats();
});
afterAll(async () => {
  await nats.stop();
});

const never = (): Promise<never> => Promise.withResolvers<never>().promise;

describe("request and reply", () => {
  test("the raw layer returns the same reply of an ordinary responder as the ordinary client", async () => {
    await using bus = await makeBus(nats.url);
    const plain = await connect({ servers: nats.url });
    plain.subscribe("plain.echo", { callback: (_error, message) => void message.respond(message.data) });
    bus.rawServe(echo, (body) => body);
    for (const size of [0, 1, 15, 4096, 300_000, 1_200 * 1024]) {
      const body = Buffer.alloc(size, size % 251);
      const ours = await bus.rawRequest(echo, body, soon());
      const theirs = await plain.request("plain.echo", body, { timeout: 5000 });
      expect(ours.equals(body)).toBe(true);
      expect(ours.equals(theirs.data)).toBe(true);
    }
    await plain.close();
  });

  test("replies that arrive in another order are matched to their requests", async () => {
    await using bus = await makeBus(nats.url);
    const gates = new Map<string, () => void>();
    bus.serve(echo, async ({ text }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gates.set(text, resolve);
      await promise;
      return { text };
    });
    const slow = bus.request(echo, { text: "slow" }, soon());
    const quick = bus.request(echo, { text: "quick" }, soon());
    await poll("both requests to arrive", () => gates.size === 2);
    gates.get("quick")?.();
    expect(await quick).toEqual({ text: "quick" });
    expect(bus.outstanding()).toBe(1);
    gates.get("slow")?.();
    expect(await slow).toEqual({ text: "slow" });
    expect(bus.outstanding()).toBe(0);
  });

  test("a request without responders fails long before its deadline", async () => {
    await using bus = await makeBus(nats.url);
    const codes = await Promise.all(
      Array.from({ length: 200 }, () => failureCode(bus.request(echo, { text: "x" }, soon(600_000)))),
    );
    expect(new Set(codes)).toEqual(new Set(["BUS_NO_RESPONDERS"]));
    expect(bus.outstanding()).toBe(0);
  });

  test("a queue group spreads requests; each is answered by one server", async () => {
    await using client = await makeBus(nats.url);
    await using first = await makeBus(nats.url);
    await using second = await makeBus(nats.url);
    first.serve(echo, async ({ text }) => ({ text, by: "first" }));
    second.serve(echo, async ({ text }) => ({ text, by: "second" }));
    await Promise.all([first.flush(), second.flush()]);
    const counts: Record<string, number> = {};
    for (let index = 0; index < 100; index += 1) {
      const { by = "" } = await client.request(echo, { text: "x" }, soon());
      counts[by] = (counts[by] ?? 0) + 1;
    }
    expect(counts["first"]).toBeGreaterThan(10);
    expect(counts["second"]).toBeGreaterThan(10);
    expect((counts["first"] ?? 0) + (counts["second"] ?? 0)).toBe(100);
  });

  test("the deadline ends a request, aborts the handler's signal, and the late reply is dropped and counted", async () => {
    const metrics = countMetrics();
    await using bus = await makeBus(nats.url, { metrics });
    const aborted = Promise.withResolvers<unknown>();
    bus.serve(echo, async ({ text }, { signal }) => {
      signal.addEventListener("abort", () => aborted.resolve(signal.reason));
      await aborted.promise;
      return { text };
    });
    const startMs = performance.now();
    expect(await failureCode(bus.request(echo, { text: "x" }, soon(150)))).toBe("DEADLINE_EXCEEDED");
    expect(performance.now() - startMs).toBeGreaterThan(145);
    expect(await aborted.promise).toMatchObject({ code: "DEADLINE_EXCEEDED" });
    await poll("the late reply", () => metrics.counts["late_reply"] === 1);
  });

  test("a request delayed beyond its deadline in transit is dropped without side effects and counted", async () => {
    const metrics = countMetrics();
    await using slow = await spawnNats();
    await using server = await makeBus(slow.url, { metrics });
    await using client = await makeBus(slow.url);
    let handled = 0;
    server.rawServe(echo, (body) => {
      handled += 1;
      return body;
    });
    await server.flush();
    for (let quick = 0; quick < 5; quick += 1) await client.rawRequest(echo, Buffer.alloc(1), soon());
    await pause(slow);
    const held = soon(100);
    expect(await failureCode(client.rawRequest(echo, Buffer.alloc(1), held))).toBe("DEADLINE_EXCEEDED");
    await poll("the deadline to be long past", () => Date.now() > held.deadline + 1000);
    slow.signal("SIGCONT");
    await poll("the request to be dropped", () => metrics.counts["expired_dropped"] === 1);
    expect(handled).toBe(5);
  });

  test.each([-3_600_000, 3_600_000])(
    "a client whose clock is %d ms off is served, and its deadlines apply",
    async (skewMs) => {
      const clock = { now: (): number => Date.now() + skewMs };
      await using server = await makeBus(nats.url);
      await using client = await makeBus(nats.url, { clock });
      const seen: number[] = [];
      server.serve(echo, async (request, { deadline }) => {
        seen.push(deadline - Date.now());
        return request;
      });
      await server.flush();
      const reply = await client.request(echo, { text: "a" }, { deadline: clock.now() + 2000 });
      expect(reply).toEqual({ text: "a" });
      expect(seen[0]).toBeGreaterThan(1000);
      expect(seen[0]).toBeLessThanOrEqual(2000);
    },
  );

  test("a request that is expired or aborted before it is sent is not sent", async () => {
    await using bus = await makeBus(nats.url);
    let handled = 0;
    bus.rawServe(echo, (body) => {
      handled += 1;
      return body;
    });
    const body = Buffer.from("x");
    expect(await failureCode(bus.rawRequest(echo, body, { deadline: Date.now() - 1 }))).toBe("DEADLINE_EXCEEDED");
    expect(await failureCode(bus.rawRequest(echo, body, { ...soon(), signal: AbortSignal.abort() }))).toBe(
      "REQUEST_ABORTED",
    );
    const controller = new AbortController();
    const sameTick = failureCode(bus.rawRequest(echo, body, { ...soon(), signal: controller.signal }));
    controller.abort();
    expect(await sameTick).toBe("REQUEST_ABORTED");
    await bus.rawRequest(echo, body, soon());
    expect(handled).toBe(1);
  });

  test("an abort ends a request in progress", async () => {
    await using bus = await makeBus(nats.url);
    const serving = bus.rawServe(echo, never);
    const controller = new AbortController();
    const code = failureCode(bus.rawRequest(echo, Buffer.alloc(1), { ...soon(), signal: controller.signal }));
    await poll("the call", () => serving.inFlight() === 1);
    controller.abort();
    expect(await code).toBe("REQUEST_ABORTED");
    expect(bus.outstanding()).toBe(0);
  });

  test("above maxOutstanding a request fails with BUS_BACKLOG", async () => {
    await using bus = await makeBus(nats.url, { maxOutstanding: 2 });
    bus.rawServe(echo, never);
    const open = [1, 2].map(() => failureCode(bus.rawRequest(echo, Buffer.alloc(1), soon(300))));
    expect(await failureCode(bus.rawRequest(echo, Buffer.alloc(1), soon(300)))).toBe("BUS_BACKLOG");
    expect(await Promise.all(open)).toEqual(["DEADLINE_EXCEEDED", "DEADLINE_EXCEEDED"]);
  });

  test("above maxInFlight a request is answered OVERLOADED immediately", async () => {
    const metrics = countMetrics();
    await using bus = await makeBus(nats.url, { metrics });
    const gate = Promise.withResolvers<Uint8Array>();
    const serving = bus.rawServe(echo, () => gate.promise, { maxInFlight: 2 });
    const held = [1, 2].map(() => bus.rawRequest(echo, Buffer.alloc(1), soon()));
    await poll("two calls", () => serving.inFlight() === 2);
    expect(await failureCode(bus.rawRequest(echo, Buffer.alloc(1), soon(30_000)))).toBe("OVERLOADED");
    expect(metrics.counts["overloaded"]).toBe(1);
    gate.resolve(Buffer.from("ok"));
    expect((await Promise.all(held)).map(String)).toEqual(["ok", "ok"]);
  });

  test("a body above max_payload is rejected, a reply above it becomes an error", async () => {
    await using bus = await makeBus(nats.url);
    bus.rawServe(echo, () => Buffer.alloc(5 * 1024 * 1024));
    expect(await failureCode(bus.rawRequest(echo, Buffer.alloc(5 * 1024 * 1024), soon()))).toBe("BUS_PAYLOAD");
    expect(await failureCode(bus.rawRequest(echo, Buffer.alloc(1), soon()))).toBe("BUS_PAYLOAD");
  });
});

describe("errors of a handler", () => {
  test("an AppError reaches the caller with code, sentence and retry time, and no internal details", async () => {
    await using bus = await makeBus(nats.url);
    bus.serve(echo, () =>
      Promise.reject(new AppError("DIRECTORY_UNAVAILABLE", { detail: "ldap1 secret", retryAfterSeconds: 7 })),
    );
    const failure = bus.request(echo, { text: "x" }, soon());
    await expect(failure).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE", retryAfterSeconds: 7 });
    await expect(failure).rejects.not.toThrow(/secret/);
  });

  test("any other error is INTERNAL for the caller and is reported in the service", async () => {
    const reported: AppError[] = [];
    await using bus = await makeBus(nats.url, { onError: (error) => void reported.push(error) });
    bus.serve(echo, () => Promise.reject(new TypeError("a bug")));
    expect(await failureCode(bus.request(echo, { text: "x" }, soon()))).toBe("INTERNAL");
    expect(reported.map(({ cause }) => cause)).toEqual([new TypeError("a bug")]);
  });
});

describe("peers of another version", () => {
  const newer = { ...echo, request: Type.Object({ text: Type.String(), added: Type.String() }) };
  const newerReply = { ...echo, reply: Type.Object({ text: Type.String(), added: Type.Number() }) };

  test("additional members of a newer client are ignored, and missing optional ones of an older client are accepted", async () => {
    await using bus = await makeBus(nats.url);
    bus.serve(echo, async ({ text, number }) => ({ text: `${text}${number ?? "-"}` }));
    expect(await bus.request(newer, { text: "a", added: "b" }, soon())).toEqual({ text: "a-" });
  });

  test("additional members of a newer server are ignored", async () => {
    await using bus = await makeBus(nats.url);
    bus.serve(newerReply, async ({ text }) => ({ text, added: 1 }));
    expect(await bus.request(echo, { text: "a" }, soon())).toMatchObject({ text: "a" });
  });

  test("a request that violates its schema is answered REQUEST_MALFORMED, a reply that does UPSTREAM_UNAVAILABLE", async () => {
    await using bus = await makeBus(nats.url);
    bus.serve(echo, async ({ text }) => ({ text }));
    const wrong = { ...echo, request: Type.Object({ text: Type.Number() }) };
    expect(await failureCode(bus.request(wrong, { text: 1 }, soon()))).toBe("REQUEST_MALFORMED");
    expect(await failureCode(bus.rawRequest(echo, Buffer.from("ff", "hex"), soon()))).toBe("REQUEST_MALFORMED");
    expect(await failureCode(bus.request(newerReply, { text: "x" }, soon()))).toBe("UPSTREAM_UNAVAILABLE");
  });
});

describe("a hostile publisher", () => {
  test("malformed messages are counted and do not affect other requests", async () => {
    const metrics = countMetrics();
    await using bus = await makeBus(nats.url, { metrics });
    bus.serve(echo, async ({ text }) => ({ text }));
    await bus.request(echo, { text: "up" }, soon());
    const hostile = await connect({ servers: nats.url });
    const inboxes = Promise.withResolvers<string>();
    const subject = methodSubject(namespace, echo);
    hostile.subscribe(subject, { callback: (_error, message) => inboxes.resolve(message.reply ?? "") });
    await hostile.flush();
    await bus.request(echo, { text: "seen" }, soon());
    const inbox = (await inboxes.promise).replace(/\.b\..*$/, "");
    const junk = [Buffer.alloc(7, 1), Buffer.alloc(64, 255), Buffer.alloc(0), Buffer.from("text")];
    for (const bytes of junk) {
      hostile.publish(subject, bytes);
      hostile.publish(subject, bytes, { reply: `${inbox}.b.1-1` });
      hostile.publish(subject, bytes, { reply: "nobody" });
      hostile.publish(`${inbox}.r`, bytes);
      hostile.publish(`${inbox}.b.1-1`, bytes);
    }
    await hostile.flush();
    await poll("the malformed messages to be counted", () => (metrics.counts["malformed"] ?? 0) >= 12);
    expect(await bus.request(echo, { text: "still here" }, soon())).toEqual({ text: "still here" });
    await hostile.close();
  });
});
