import { systemClock } from "@postern/shared/platform/time";
import { expect, test } from "vitest";
import { createWaitUntil } from "./unknown-names.ts";

const waitUntil = createWaitUntil(systemClock);
const context = (remainingMs: number, signal = new AbortController().signal) => ({
  deadline: systemClock.now() + remainingMs,
  signal,
});

/** A timer may end early by the time reserved for waiting turn by turn, by rounding, and by the resolution of the event loop's clock. */
const earlyMs = 5;

test("the wait resolves at the given time and not before", async () => {
  const untilMs = performance.now() + 30;
  await waitUntil(untilMs, context(10_000));
  expect(performance.now()).toBeGreaterThanOrEqual(untilMs);
});

test("many concurrent waits do not end early, and most are as exact as timers", async () => {
  const untilMs = performance.now() + 60;
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      await waitUntil(untilMs, context(10_000));
      expect(performance.now()).toBeGreaterThanOrEqual(untilMs - earlyMs);
    }),
  );
});

test("a time in the past resolves without a wait", async () => {
  let turns = 0;
  const count = (): void => void (turns += 1);
  const immediate = setImmediate(count);
  await waitUntil(performance.now() - 1, context(10_000));
  clearImmediate(immediate);
  expect(turns).toBe(0);
});

test("the wait ends before the deadline", async () => {
  const call = context(100);
  await waitUntil(performance.now() + 60_000, call);
  expect(systemClock.now()).toBeLessThan(call.deadline + 30_000);
});

test("the wait ends when the caller disconnects", async () => {
  const gone = new AbortController();
  const waiting = waitUntil(performance.now() + 60_000, context(120_000, gone.signal));
  gone.abort();
  await expect(waiting).resolves.toBeUndefined();
});
