import { once } from "node:events";
import type { LiveReplicas, Replica } from "@postern/shared/platform/bus";
import { type NatsServer, poll, spawnNats } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countMetrics, echo, failureCode, makeBus, soon } from "./bus-fixture.ts";
import { replica, serve } from "./replica-fixture.ts";

const repeatable = { ...echo, repeatable: true };
const text = "x";

let nats: NatsServer;
beforeAll(async () => {
  nats = await spawnNats();
});
afterAll(() => nats.stop());

/** Replicas that are not expected back once NATS has no subscription of theirs. */
function known(live: () => readonly Replica[]): LiveReplicas {
  const gone = new Set<Replica>();
  return {
    live: () => live().filter((one) => !gone.has(one)),
    isReturning: () => false,
    unreachable: (one) => {
      for (const lost of one === undefined ? live() : [one]) gone.add(lost);
    },
  };
}

const left = [replica("left")];

test("batches go to the replica with fewer unanswered requests, so that one that does not answer gets almost none", async () => {
  await using frozen = await serve(nats.url, "frozen", { holds: true });
  await using alive = await serve(nats.url, "alive");
  await using bus = await makeBus(nats.url);
  const live = [replica("frozen"), replica("alive")];
  bus.balance(
    echo.service,
    known(() => live),
  );
  const answers: Promise<unknown>[] = [];
  for (let index = 0; index < 200; index += 1) {
    const answer = bus.request(echo, { text }, soon());
    answers.push(answer);
    // One request of the frozen replica must not hold up the test.
    await Promise.race([answer, poll("its arrival", () => alive.seen.length + frozen.seen.length === index + 1)]);
    await poll("the answers of the other", () => live[1]?.outstanding === 0);
  }
  expect(frozen.seen.length).toBeLessThanOrEqual(1);
  expect(live[0]?.outstanding).toBe(frozen.seen.length);
  frozen.release();
  await Promise.all(answers);
  expect(live.map(({ outstanding }) => outstanding)).toEqual([0, 0]);
});

test("replicas that answer get equal shares", async () => {
  await using one = await serve(nats.url, "one");
  await using other = await serve(nats.url, "other");
  await using bus = await makeBus(nats.url);
  const live = [replica("one"), replica("other")];
  bus.balance(
    echo.service,
    known(() => live),
  );
  for (let index = 0; index < 200; index += 1) await bus.request(echo, { text }, soon());
  expect(one.seen.length).toBeGreaterThan(50);
  expect(other.seen.length).toBeGreaterThan(50);
});

test("a request to a silent replica is sent once to another one, under the same id, and the first reply ends it", async () => {
  await using silent = await serve(nats.url, "silent", { holds: true });
  await using other = await serve(nats.url, "other");
  const metrics = countMetrics();
  await using bus = await makeBus(nats.url, { metrics });
  const [first, second] = [replica("silent"), replica("other")];
  let live = [first];
  bus.balance(
    echo.service,
    known(() => live),
  );
  const answers = [1, 2, 3].map(() => bus.request(repeatable, { text }, soon(60_000)));
  await poll("the requests", () => silent.seen.length === 3);
  live = [second];
  bus.resend([first]);
  bus.resend([first]);
  for (const { by } of await Promise.all(answers)) expect(by).toBe("other");
  expect(other.seen).toEqual(silent.seen);
  expect(new Set(other.seen).size).toBe(3);
  expect(metrics.counts["resent"]).toBe(3);
  silent.release();
  await poll("the late replies", () => metrics.counts["late_reply"] === 3);
});

test("a request goes to two silent replicas in turn and no further, because one that stalls its replica must not stall all", async () => {
  await using one = await serve(nats.url, "one-silent", { holds: true });
  await using two = await serve(nats.url, "two-silent", { holds: true });
  await using three = await serve(nats.url, "three-silent", { holds: true });
  await using four = await serve(nats.url, "four");
  await using bus = await makeBus(nats.url);
  const all = ["one-silent", "two-silent", "three-silent", "four"].map((name) => replica(name));
  let live = all.slice(0, 1);
  bus.balance(
    echo.service,
    known(() => live),
  );
  const answer = bus.request(repeatable, { text }, soon(60_000));
  const servers = [one, two, three];
  for (const [index, server] of servers.entries()) {
    await poll("the request", () => server.seen.length === 1);
    live = all.slice(index + 1, index + 2);
    bus.resend(all.slice(0, index + 1));
  }
  expect(four.seen).toEqual([]);
  three.release();
  expect((await answer).by).toBe("three-silent");
});

test("requests to a replica that has lost its connection are sent again, even to the same one", async () => {
  await using server = await serve(nats.url, "returning", { holds: true });
  await using bus = await makeBus(nats.url);
  expect(bus.connections()).toBe(1);
  const only = replica("returning");
  bus.balance(
    echo.service,
    known(() => [only]),
  );
  const answer = bus.request(repeatable, { text }, soon(60_000));
  const other = bus.request(echo, { text }, soon(60_000));
  await poll("the requests", () => server.seen.length === 2);
  bus.resend([]);
  expect(server.seen).toHaveLength(2);
  bus.reconnected(only);
  bus.resend([]);
  await poll("the request again", () => server.seen.length === 3);
  expect(server.seen.filter((id) => id === server.seen[0])).toHaveLength(2);
  server.release();
  await Promise.all([answer, other]);
});

test("without another replica, or for a method that is not repeatable, a request waits for its replica", async () => {
  await using silent = await serve(nats.url, "silent", { holds: true });
  await using other = await serve(nats.url, "other");
  await using bus = await makeBus(nats.url);
  const first = replica("silent");
  let live: Replica[] = [first];
  bus.balance(
    echo.service,
    known(() => live),
  );
  const single = bus.request(echo, { text }, soon());
  const again = bus.request(repeatable, { text }, soon());
  await poll("the requests", () => silent.seen.length === 2);
  bus.resend([first]);
  live = [replica("other")];
  bus.resend([first]);
  expect((await again).by).toBe("other");
  silent.release();
  expect((await single).by).toBe("silent");
  expect(other.seen).toHaveLength(1);
});

test("a request to a replica that has left goes to the queue group, whatever the method", async () => {
  await using other = await serve(nats.url, "other");
  await using bus = await makeBus(nats.url);
  bus.balance(
    echo.service,
    known(() => left),
  );
  const answers = await Promise.all(Array.from({ length: 40 }, () => bus.request(echo, { text }, soon(600_000))));
  for (const { by } of answers) expect(by).toBe("other");
  expect(other.seen).toHaveLength(40);
});

test("when no replica serves the method, a request to a replica that has left fails long before its deadline", async () => {
  await using bus = await makeBus(nats.url);
  bus.balance(
    echo.service,
    known(() => left),
  );
  expect(await failureCode(bus.request(echo, { text }, soon(600_000)))).toBe("BUS_NO_RESPONDERS");
});

test("a request that no replica receives waits for one that is expected back, whatever the method", async () => {
  await using bus = await makeBus(nats.url);
  const all = [replica("back")];
  let live = all;
  const unreachable = (): void => void (live = []);
  bus.balance(echo.service, { live: () => live, isReturning: () => true, unreachable });
  const first = bus.request(echo, { text }, soon(600_000));
  await poll("NATS to refuse it", () => live.length === 0);
  const second = bus.request(echo, { text }, soon(600_000));
  await using server = await serve(nats.url, "back");
  bus.resend([]);
  expect(server.seen).toEqual([]);
  live = all;
  bus.resend([]);
  for (const { by } of await Promise.all([first, second])) expect(by).toBe("back");
});

test("a request that waits for a replica fails long before its deadline, once none is expected any more", async () => {
  await using bus = await makeBus(nats.url);
  let isReturning = true;
  bus.balance(echo.service, { live: () => [], isReturning: () => isReturning, unreachable: () => undefined });
  const answer = failureCode(bus.request(echo, { text }, soon(600_000)));
  await bus.flush();
  bus.resend([]);
  isReturning = false;
  bus.resend([]);
  expect(await answer).toBe("BUS_NO_RESPONDERS");
});

test("without live replicas, requests go to the queue group", async () => {
  await using server = await serve(nats.url, "unheard");
  await using bus = await makeBus(nats.url);
  bus.balance(
    echo.service,
    known(() => []),
  );
  expect((await bus.request(echo, { text }, soon())).by).toBe("unheard");
  expect(server.seen).toHaveLength(1);
});

test("a request that a dying NATS server swallowed is sent again over the new connection", async () => {
  const dying = await spawnNats();
  await using server = await serve(dying.url, "one");
  await using bus = await makeBus(dying.url);
  const only = [replica("one")];
  bus.balance(
    echo.service,
    known(() => only),
  );
  expect((await bus.request(repeatable, { text }, soon())).by).toBe("one");
  dying.signal("SIGSTOP");
  // The threads of the server stop only some time after the signal.
  await poll("NATS to stall", async () => (await failureCode(bus.request(echo, { text }, soon(200)))) !== undefined);
  const answer = bus.request(repeatable, { text }, soon(600_000));
  await poll("the request to leave", () => bus.outstanding() === 1);
  dying.signal("SIGKILL");
  await once(dying.process, "exit");
  await poll("the bus to detect it", () => !bus.isConnected());
  await using next = await spawnNats({ port: dying.port });
  await poll("both connections", () => bus.isConnected() && server.bus.isConnected());
  await poll("the answer", () => {
    bus.resend([]);
    return bus.outstanding() === 0;
  });
  expect((await answer).by).toBe("one");
  expect(next.port).toBe(dying.port);
});
