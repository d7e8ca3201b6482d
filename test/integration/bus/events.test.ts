import { connect } from "@nats-io/transport-node";
import { eventSubject } from "@postern/shared/contracts";
import { freePort, type NatsServer, poll, spawnNats } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countMetrics, makeBus, namespace, somethingHappened } from "./bus-fixture.ts";

let nats: NatsServer;
beforeAll(async () => {
  nats = await spawnNats();
});
afterAll(async () => {
  await nats.stop();
});

test("each subscriber receives each event until it unsubscribes", async () => {
  await using publisher = await makeBus(nats.url);
  await using first = await makeBus(nats.url);
  await using second = await makeBus(nats.url);
  const seen: string[] = [];
  const subscription = first.subscribe(somethingHappened, ({ what }) => void seen.push(`first ${what}`));
  second.subscribe(somethingHappened, ({ what }) => void seen.push(`second ${what}`));
  await poll("both subscriptions", () => {
    publisher.publish(somethingHappened, { what: "warm-up" });
    return seen.includes("first warm-up") && seen.includes("second warm-up");
  });
  expect(publisher.publish(somethingHappened, { what: "a" })).toBe(true);
  await poll("the event", () => seen.includes("first a") && seen.includes("second a"));
  subscription.unsubscribe();
  publisher.publish(somethingHappened, { what: "b" });
  await poll("the event", () => seen.includes("second b"));
  expect(seen).not.toContain("first b");
});

test("an event that violates its schema is counted and dropped; a handler that throws is reported", async () => {
  const metrics = countMetrics();
  const reported: string[] = [];
  await using bus = await makeBus(nats.url, { metrics, onError: ({ code }) => void reported.push(code) });
  const seen: string[] = [];
  bus.subscribe(somethingHappened, ({ what }) => {
    if (what === "throw") throw new Error("a bug");
    seen.push(what);
  });
  const stranger = await connect({ servers: nats.url });
  await poll("the subscription", () => bus.publish(somethingHappened, { what: "up" }) && seen.includes("up"));
  stranger.publish(eventSubject(namespace, somethingHappened), Buffer.from("a1", "hex"));
  bus.publish(somethingHappened, { what: "throw" });
  await poll("both to be reported", () => metrics.counts["malformed"] === 1 && reported.length === 1);
  expect(reported).toEqual(["INTERNAL"]);
  await stranger.close();
});

test("an event without a connection is lost, reported and counted", async () => {
  const metrics = countMetrics();
  await using bus = await makeBus(`nats://127.0.0.1:${await freePort()}`, { metrics, connectWaitMs: 10 });
  expect(bus.publish(somethingHappened, { what: "x" })).toBe(false);
  expect(metrics.counts["event_lost"]).toBe(1);
});
