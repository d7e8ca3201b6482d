import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { AppError } from "../errors/app-error.ts";
import { systemClock } from "../time/clock.ts";
import {
  abortAfter,
  endsWithin,
  remainingMs,
  throwIfOver,
  unlessAborted,
  untilOver,
  watchDeadline,
  within,
} from "./deadline.ts";

const never = new Promise<never>(() => undefined);
const waits = (deadline: number, signal = new AbortController().signal) => ({
  context: { deadline, signal },
  clock: systemClock,
  waitingFor: "a test",
});
const soon = () => systemClock.now() + 20;
const later = () => systemClock.now() + 600_000;
const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );

test("the remaining time is never negative", () => {
  const clock = { now: () => 1000 };
  expect([remainingMs(1500, clock), remainingMs(1000, clock), remainingMs(1, clock)]).toEqual([500, 0, 0]);
});

test("throwIfOver throws after the deadline or an abort", () => {
  const { signal } = new AbortController();
  const clock = { now: () => 1000 };
  throwIfOver({ deadline: 1001, signal }, clock, "a test");
  expect(() => throwIfOver({ deadline: 1000, signal }, clock, "a test")).toThrow(
    expect.objectContaining({ code: "DEADLINE_EXCEEDED" }),
  );
  expect(() => throwIfOver({ deadline: 1001, signal: AbortSignal.abort() }, clock, "a test")).toThrow(
    expect.objectContaining({ code: "REQUEST_ABORTED" }),
  );
});

describe("untilOver", () => {
  test("settles like the promise", async () => {
    expect(await untilOver(Promise.resolve(7), waits(later()))).toBe(7);
    await expect(untilOver(Promise.reject(new Error("no")), waits(later()))).rejects.toThrow("no");
  });

  test("rejects at the deadline, at an abort, and when the signal was aborted before", async () => {
    const controller = new AbortController();
    const aborted = codeOf(untilOver(never, waits(later(), controller.signal)));
    controller.abort();
    expect(await aborted).toBe("REQUEST_ABORTED");
    expect(await codeOf(untilOver(never, waits(later(), AbortSignal.abort())))).toBe("REQUEST_ABORTED");
    expect(await codeOf(untilOver(never, waits(soon())))).toBe("DEADLINE_EXCEEDED");
  });
});

test("a deadline beyond the longest timer does not end immediately", async () => {
  const errors: AppError[] = [];
  const stop = watchDeadline(waits(Number.MAX_SAFE_INTEGER), (error) => void errors.push(error));
  expect(await codeOf(untilOver(never, waits(soon())))).toBe("DEADLINE_EXCEEDED");
  stop();
  expect(errors).toEqual([]);
});

test("unlessAborted settles like the promise until the signal aborts", async () => {
  const controller = new AbortController();
  expect(await unlessAborted(Promise.resolve(7), controller.signal)).toBe(7);
  const waiting = codeOf(unlessAborted(never, controller.signal));
  controller.abort();
  expect(await waiting).toBe("REQUEST_ABORTED");
  expect(await codeOf(unlessAborted(Promise.resolve(7), controller.signal))).toBe("REQUEST_ABORTED");
});

test("a promise that rejects after the caller stopped waiting causes no unhandled rejection", async () => {
  const late = Promise.withResolvers<never>();
  expect(await codeOf(unlessAborted(late.promise, AbortSignal.abort()))).toBe("REQUEST_ABORTED");
  // vitest fails a run with an unhandled rejection.
  late.reject(new Error("late"));
  await setImmediate();
});

test("within rejects when the timeout elapses, with the caller's error if there is one", async () => {
  expect(await within(Promise.resolve(7), 600_000)).toBe(7);
  await expect(within(never, 5)).rejects.toThrow("no answer within 5 ms");
  await expect(within(never, 5, () => new TypeError("mine"))).rejects.toThrow(TypeError);
});

test("endsWithin reports whether the promise was settled in time, and never rejects", async () => {
  expect(await endsWithin(Promise.resolve(), 600_000)).toBe(true);
  expect(await endsWithin(Promise.reject(new Error("no")), 600_000)).toBe(true);
  expect(await endsWithin(never, 5)).toBe(false);
});

test("abortAfter aborts when the timeout elapses, or together with another signal", async () => {
  const controller = new AbortController();
  const combined = abortAfter(600_000, controller.signal);
  controller.abort();
  expect(combined.aborted).toBe(true);
  const alone = abortAfter(5);
  await new Promise((resolve) => alone.addEventListener("abort", resolve, { once: true }));
  expect(alone.aborted).toBe(true);
});
