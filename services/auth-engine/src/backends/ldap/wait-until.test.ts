import { systemClock } from "@postern/shared/platform/time";
import { expect, test } from "vitest";
import { createWaitUntil } from "./wait-until.ts";

const waitUntil = createWaitUntil(systemClock);
const context = (remainingMs: number, signal = new AbortController().signal) => ({
  deadline: systemClock.now() + remainingMs,
  signal,
});

/** Timers end early by what is left for waiting turn by turn, by rounding, and by the millisecond of the event loop's clock. */
const earlyMs = 5;

test("it resolves at the time and not before", async () => {
  const untilMs = performance.now() + 30;
  await waitUntil(untilMs, context(10_000));
  expect(performance.now()).toBeGreaterThanOrEqual(untilMs);
});

test("many wait for the time too, most of them as exactly as timers are", async () => {
  const untilMs = performance.now() + 60;
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      await waitUntil(untilMs, context(10_000));
      expect(performance.now()).toBeGreaterThanOrEqual(untilMs - earlyMs);
    }),
  );
});

test("a time that has passed needs no wait", async () => {
  let turns = 0;
  const count = (): void => void (turns += 1);
  const immediate = setImmediate(count);
  await waitUntil(performance.now() - 1, context(10_000));
  clearImmediate(immediate);
  expect(turns).toBe(0);
});

test("it ends before the deadline", async () => {
  const call = context(100);
  await waitUntil(performance.now() + 60_000, call);
  expect(systemClock.now()).toBeLessThan(call.deadline + 30_000);
});

test("it ends when the caller has gone", async () => {
  const gone = new AbortController();
  const waiting = waitUntil(performance.now() + 60_000, context(120_000, gone.signal));
  gone.abort();
  await expect(waiting).resolves.toBeUndefined();
});
