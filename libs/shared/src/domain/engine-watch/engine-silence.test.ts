import fc from "fast-check";
import { expect, test } from "vitest";
import { createEngineSilence, type EngineSilence, watchIntervalMs } from "./engine-silence.ts";

interface World {
  readonly silence: EngineSilence;
  readonly advance: (ms: number) => void;
}

function world(): World {
  let nowMs = 5000;
  return {
    silence: createEngineSilence(() => nowMs),
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

/** Runs the watch with a NATS that responds after `tookMs`; returns the milliseconds until silence, or undefined. */
function watchFor(ms: number, { silence, advance }: World, tookMs: number | "lost" = 1): number | undefined {
  for (let passed = watchIntervalMs; passed <= ms; passed += watchIntervalMs) {
    advance(watchIntervalMs);
    if (silence.suspicious() && silence.probed(tookMs === "lost" ? undefined : tookMs)) return passed;
  }
  return undefined;
}

test("before the first heartbeat there is no silence: requests are sent to engines that never send heartbeats", () => {
  const { silence, advance } = world();
  expect(watchFor(60_000, { silence, advance })).toBeUndefined();
  expect(silence.admit()).toBe("ask");
});

test("silence is detected 2.0 to 2.1 s after the last heartbeat", () => {
  const here = world();
  here.silence.heard("a");
  const foundMs = watchFor(5000, here);
  expect(foundMs).toBeGreaterThanOrEqual(1960);
  expect(foundMs).toBeLessThanOrEqual(2100);
  expect(here.silence.admit()).toBe("refuse");
});

test("heartbeats every 200 ms with one of three lost are not silence", () => {
  const here = world();
  for (let heartbeat = 0; heartbeat < 300; heartbeat += 1) {
    if (heartbeat % 3 !== 0) here.silence.heard("a");
    expect(watchFor(200, here)).toBeUndefined();
  }
});

test("responses of engines count like heartbeats", () => {
  const here = world();
  here.silence.heard("a");
  for (let turn = 0; turn < 100; turn += 1) {
    here.silence.answered();
    expect(watchFor(1900, here)).toBeUndefined();
  }
});

test("a slow or unavailable NATS does not count as silence of the engines", () => {
  const here = world();
  here.silence.heard("a");
  expect(watchFor(60_000, here, 500)).toBeUndefined();
  expect(watchFor(60_000, here, "lost")).toBeUndefined();
  expect(here.silence.admit()).toBe("ask");
});

test("time in which our own event loop was blocked does not count", () => {
  const here = world();
  here.silence.heard("a");
  for (let stall = 0; stall < 100; stall += 1) {
    expect(watchFor(1700, here)).toBeUndefined();
    here.advance(10_000);
    here.silence.deafened();
  }
  expect(here.silence.admit()).toBe("ask");
});

test("silence begins once, not at each further probe", () => {
  const here = world();
  here.silence.heard("a");
  expect(watchFor(5000, here)).toBeDefined();
  expect(here.silence.probed(1)).toBe(false);
});

test("a heartbeat ends the silence immediately", () => {
  const here = world();
  here.silence.heard("a");
  watchFor(5000, here);
  here.silence.heard("b");
  expect(here.silence.admit()).toBe("ask");
  expect(watchFor(5000, here)).toBeDefined();
});

test("during silence one request per second is sent as a trial; its response ends the silence, even for engines without heartbeats", () => {
  const here = world();
  here.silence.heard("a");
  watchFor(5000, here);
  const admitted: string[] = [];
  for (let turn = 0; turn < 30; turn += 1) {
    here.advance(100);
    admitted.push(here.silence.admit());
  }
  expect(admitted.filter((what) => what === "trial")).toHaveLength(3);
  expect(admitted.filter((what) => what === "ask")).toHaveLength(0);
  here.silence.answered();
  expect(watchFor(60_000, here)).toBeUndefined();
  expect(here.silence.admit()).toBe("ask");
});

test("engines are counted for a second after their heartbeat, and at most 256", () => {
  const { silence, advance } = world();
  silence.heard("a");
  advance(900);
  silence.heard("b");
  expect(silence.engines()).toBe(2);
  advance(200);
  expect(silence.engines()).toBe(1);
  for (let name = 0; name < 1000; name += 1) silence.heard(String(name));
  expect(silence.engines()).toBe(256);
});

test("heartbeats at least every 300 ms prevent silence, whatever NATS and our event loop do", () => {
  const step = fc.record({
    heartbeatAfter: fc.integer({ min: 1, max: 299 }),
    tookMs: fc.option(fc.integer({ min: 0, max: 400 })),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const { silence, advance } = world();
      silence.heard("a");
      for (const { heartbeatAfter, tookMs } of steps) {
        advance(heartbeatAfter);
        expect(silence.probed(tookMs ?? undefined)).toBe(false);
        silence.heard("a");
        expect(silence.admit()).toBe("ask");
      }
    }),
  );
});
