import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ServiceWatch, serviceWatchTickMs } from "./service-watch.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface World {
  readonly watch: ServiceWatch;
  readonly probes: PromiseWithResolvers<void>[];
  readonly silent: number[];
  /** Blocks our event loop: the clock continues, timers do not fire. */
  readonly stall: (ms: number) => void;
  readonly pass: (ms: number) => Promise<void>;
}

function world(): World {
  let nowMs = 0;
  const probes: PromiseWithResolvers<void>[] = [];
  const silent: number[] = [];
  const watch = new ServiceWatch(
    () => {
      const deferred = Promise.withResolvers<void>();
      probes.push(deferred);
      return deferred.promise;
    },
    () => nowMs,
    (requests) => void silent.push(requests),
  );
  return {
    watch,
    probes,
    silent,
    stall: (ms) => {
      nowMs += ms;
    },
    pass: async (ms) => {
      for (let left = ms; left > 0; left -= serviceWatchTickMs) {
        nowMs += serviceWatchTickMs;
        await vi.advanceTimersByTimeAsync(serviceWatchTickMs);
      }
    },
  };
}

test("a service that answers in time is never probed", async () => {
  const { watch, probes, pass } = world();
  const end = watch.waits(() => expect.unreachable());
  await pass(750);
  end();
  await pass(10_000);
  expect(probes).toHaveLength(0);
});

test("a request is failed within 4 s if the probe is unanswered too; all waiting requests share a probe", async () => {
  const { watch, probes, silent, pass } = world();
  const abandoned: number[] = [];
  for (const request of [1, 2, 3]) watch.waits(() => void abandoned.push(request));
  await pass(3250);
  expect(abandoned).toEqual([]);
  await pass(750);
  expect(abandoned).toEqual([1, 2, 3]);
  expect(silent).toEqual([3]);
  expect(probes).toHaveLength(1);
});

test("the gateway waits for a slow response if the service answers probes", async () => {
  const { watch, probes, pass } = world();
  watch.waits(() => expect.unreachable());
  for (let turn = 0; turn < 60; turn += 1) {
    await pass(500);
    probes.at(-1)?.resolve();
  }
  expect(probes.length).toBeGreaterThan(5);
});

test("a probe that fails does not prove that the service is alive, and does not shorten the wait", async () => {
  const { watch, probes, silent, pass } = world();
  watch.waits(() => undefined);
  await pass(1500);
  probes[0]?.reject(new Error("connection refused"));
  await pass(1500);
  expect(silent).toEqual([]);
  await pass(1000);
  expect(silent).toEqual([1]);
});

test("time in which our own event loop was blocked does not count as the service's silence", async () => {
  const { watch, probes, silent, stall, pass } = world();
  watch.waits(() => undefined);
  await pass(1250);
  stall(60_000);
  await pass(500);
  expect(silent).toEqual([]);
  probes[0]?.resolve();
  await pass(250);
  expect(silent).toEqual([]);
});

test("a request that arrives during a probe gets its own probe", async () => {
  const { watch, probes, silent, pass } = world();
  watch.waits(() => undefined);
  await pass(3250);
  watch.waits(() => undefined);
  await pass(500);
  expect(silent).toEqual([1]);
  await pass(3250);
  expect([silent, probes.length]).toEqual([[1, 1], 2]);
});
