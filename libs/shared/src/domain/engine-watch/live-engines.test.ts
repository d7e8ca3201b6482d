import fc from "fast-check";
import { expect, test } from "vitest";
import { watchIntervalMs } from "./engine-silence.ts";
import { LiveEngines } from "./live-engines.ts";

const heartbeatMs = 200;
const connection = 1;

const instances = (replicas: readonly { readonly instance: string }[]): string[] =>
  replicas.map(({ instance }) => instance).toSorted();

/** Runs the watch for a time in which the given engines send heartbeats. */
function run(engines: LiveEngines, ms: number, beating: readonly string[], wasOnTime = true): void {
  let nextBeat = 0;
  for (let at = 0; at < ms; at += watchIntervalMs) {
    if (at >= nextBeat) {
      for (const instance of beating) engines.heard({ instance, connection });
      nextBeat += heartbeatMs;
    }
    engines.tick(wasOnTime);
  }
}

test("an engine gets no new requests within three heartbeats of its last one, and is silent soon after", () => {
  const engines = new LiveEngines();
  run(engines, 1000, ["a", "b"]);
  expect(instances(engines.live())).toEqual(["a", "b"]);
  const [a] = engines.live();
  if (a !== undefined) a.outstanding = 1;
  engines.heard({ instance: "a", connection });
  run(engines, 400, ["b"]);
  expect(instances(engines.live())).toEqual(["a", "b"]);
  run(engines, 80, ["b"]);
  expect(instances(engines.live())).toEqual(["b"]);
  run(engines, 160, ["b"]);
  expect(instances(engines.silent())).toEqual(["a"]);
});

test("a silent engine is live again with its next heartbeat, and one without unanswered requests is forgotten", () => {
  const engines = new LiveEngines();
  run(engines, 400, ["a", "b"]);
  const [a] = engines.live();
  if (a !== undefined) a.outstanding = 1;
  run(engines, 800, ["b"]);
  expect(engines.silent()).toEqual([a]);
  engines.heard({ instance: "a", connection });
  expect(engines.live()).toContain(a);
  expect(engines.silent()).toEqual([]);
  if (a !== undefined) a.outstanding = 0;
  run(engines, 800, ["b"]);
  expect(engines.silent()).toEqual([]);
});

test("an engine that has connected to NATS again is reported once", () => {
  const engines = new LiveEngines();
  const beat = (connection: number) => engines.heard({ instance: "a", connection });
  expect(beat(1)).toBeUndefined();
  expect(beat(1)).toBeUndefined();
  expect(beat(2)?.instance).toBe("a");
  expect(beat(2)).toBeUndefined();
});

test("a draining engine immediately gets no new requests, and is not silent", () => {
  const engines = new LiveEngines();
  run(engines, 400, ["a", "b"]);
  engines.heard({ instance: "a", connection, draining: true });
  expect(instances(engines.live())).toEqual(["b"]);
  expect(engines.silent()).toEqual([]);
});

test("no engine looks silent because NATS or our own event loop stopped", () => {
  const engines = new LiveEngines();
  run(engines, 400, ["a", "b"]);
  run(engines, 60_000, []);
  expect(instances(engines.live())).toEqual(["a", "b"]);
  expect(engines.silent()).toEqual([]);
  run(engines, 400, ["a", "b"]);
  for (let late = 0; late < 100; late += 1) {
    engines.heard({ instance: "b", connection });
    engines.tick(false);
  }
  expect(instances(engines.live())).toEqual(["a", "b"]);
});

test("after our own reconnection, each engine is live once it is heard again; meanwhile one is expected, but not for ever", () => {
  const engines = new LiveEngines();
  expect(engines.isReturning()).toBe(false);
  run(engines, 400, ["a", "b"]);
  // An outage that is longer than engines take to return.
  run(engines, 10_000, []);
  expect(engines.isReturning()).toBe(false);
  const [a] = engines.live();
  engines.reconnected();
  expect([engines.live(), engines.isReturning()]).toEqual([[], true]);
  engines.heard({ instance: "a", connection });
  expect(engines.live()).toEqual([a]);
  engines.reconnected();
  run(engines, 2320, []);
  expect(engines.isReturning()).toBe(true);
  run(engines, 80, []);
  expect(engines.isReturning()).toBe(false);
});

test("an engine that NATS does not know gets nothing until it is heard again", () => {
  const engines = new LiveEngines();
  run(engines, 400, ["a", "b"]);
  engines.unreachable(engines.live().find(({ instance }) => instance === "a"));
  run(engines, 160, []);
  expect(instances(engines.live())).toEqual(["b"]);
  engines.unreachable(undefined);
  expect([engines.live(), engines.isReturning()]).toEqual([[], true]);
  run(engines, 80, ["a"]);
  expect(instances(engines.live())).toEqual(["a"]);
});

test("a draining engine is not expected back", () => {
  const engines = new LiveEngines();
  engines.heard({ instance: "a", connection, draining: true });
  engines.unreachable(undefined);
  expect(engines.isReturning()).toBe(false);
});

test("at most 256 engines are remembered, and none after all were silent", () => {
  const engines = new LiveEngines();
  for (let name = 0; name < 1000; name += 1) engines.heard({ instance: String(name), connection });
  expect(engines.live()).toHaveLength(256);
  engines.clear();
  expect([engines.live(), engines.silent()]).toEqual([[], []]);
});

test("an engine with a heartbeat in every 300 ms is always live, whatever the others do", () => {
  const step = fc.record({ ticks: fc.integer({ min: 1, max: 3 }), others: fc.boolean(), onTime: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const engines = new LiveEngines();
      for (const { ticks, others, onTime } of steps) {
        engines.heard({ instance: "steady", connection });
        for (let tick = 0; tick < ticks; tick += 1) {
          if (others) engines.heard({ instance: "other", connection });
          engines.tick(onTime);
          expect(instances(engines.live())).toContain("steady");
        }
      }
    }),
  );
});
