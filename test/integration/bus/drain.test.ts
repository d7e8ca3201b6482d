import { setImmediate as nextTick } from "node:timers/promises";
import { type NatsServer, poll, spawnNats } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { echo, failureCode, makeBus, soon } from "./bus-fixture.ts";

let nats: NatsServer;
beforeAll(async () => {
  nats = await spawnNats();
});
afterAll(async () => {
  await nats.stop();
});

test("a replica that drains under load loses none of 2,000 requests", async () => {
  await using client = await makeBus(nats.url);
  await using staying = await makeBus(nats.url);
  await using leaving = await makeBus(nats.url);
  const answeredBy = { staying: 0, leaving: 0 };
  const answer = (by: keyof typeof answeredBy) => async (body: Buffer) => {
    answeredBy[by] += 1;
    for (let turns = body.readUInt32LE() % 20; turns > 0; turns -= 1) await nextTick();
    return body;
  };
  staying.rawServe(echo, answer("staying"), { maxInFlight: 4000 });
  leaving.rawServe(echo, answer("leaving"), { maxInFlight: 4000 });
  await Promise.all([staying.flush(), leaving.flush()]);
  await poll("both replicas to answer", async () => {
    await client.rawRequest(echo, Buffer.alloc(4), soon());
    return answeredBy.leaving > 0 && answeredBy.staying > 0;
  });

  const replies: Promise<Buffer>[] = [];
  let drained: Promise<void> | undefined;
  for (let index = 0; index < 2000; index += 1) {
    const body = Buffer.alloc(4);
    body.writeUInt32LE(index);
    replies.push(client.rawRequest(echo, body, soon(20_000)));
    if (index % 20 === 0) await nextTick();
    if (index === 700) drained = leaving.drain();
  }
  const values = await Promise.all(replies);
  await drained;
  expect(values.map((body) => body.readUInt32LE())).toEqual(Array.from({ length: 2000 }, (_each, index) => index));
  expect(leaving.status()).toBe("closed");
});

test("draining one method waits for its handlers, and for a handler that hangs only until the limit", async () => {
  await using bus = await makeBus(nats.url);
  const gate = Promise.withResolvers<Uint8Array>();
  const serving = bus.rawServe(echo, () => gate.promise);
  const reply = bus.rawRequest(echo, Buffer.alloc(1), soon());
  await poll("the call", () => serving.inFlight() === 1);
  await serving.drain(100);
  expect(serving.inFlight()).toBe(1);
  expect(await failureCode(bus.rawRequest(echo, Buffer.alloc(1), soon()))).toBe("BUS_NO_RESPONDERS");
  const finished = serving.drain();
  gate.resolve(Buffer.from("late but in time"));
  await finished;
  expect(String(await reply)).toBe("late but in time");
});

test("a bus that drains waits for its own open requests; one that closes fails them", async () => {
  await using server = await makeBus(nats.url);
  const gate = Promise.withResolvers<Uint8Array>();
  const serving = server.rawServe(echo, () => gate.promise);
  await server.flush();
  const [draining, closing] = await Promise.all([makeBus(nats.url), makeBus(nats.url)]);
  const kept = draining.rawRequest(echo, Buffer.alloc(1), soon());
  const lost = failureCode(closing.rawRequest(echo, Buffer.alloc(1), soon()));
  await poll("both calls", () => serving.inFlight() === 2);
  const drained = draining.drain();
  await closing.close();
  expect(await lost).toBe("BUS_DISCONNECTED");
  gate.resolve(Buffer.from("ok"));
  expect(String(await kept)).toBe("ok");
  await drained;
  expect(await failureCode(draining.rawRequest(echo, Buffer.alloc(1), soon()))).toBe("BUS_DISCONNECTED");
});
