import { expect, test } from "vitest";
import { throwIfOver, untilOver } from "../concurrency/deadline.ts";
import { createDeadlines } from "../concurrency/deadlines.ts";
import { AppError } from "../errors/app-error.ts";
import { systemClock } from "../time/clock.ts";
import { InFlightCall } from "./in-flight-call.ts";

const never = new Promise<never>(() => undefined);

function callWith(leftMs: number) {
  const deadlines = createDeadlines();
  const timing = { deadlines, clock: systemClock };
  return { call: new InFlightCall(1, systemClock.now() + leftMs, "inbox.a", timing), deadlines };
}

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );

test("every wait for a call ends at the call's deadline, once, and its signal aborts", async () => {
  const { call } = callWith(30);
  const wait = { context: call, clock: systemClock, waitingFor: "a test" };
  const { signal } = call;
  const [first, second] = [untilOver(never, wait), untilOver(never, wait)].map(codeOf);
  expect(await first).toBe("DEADLINE_EXCEEDED");
  expect(await second).toBe("DEADLINE_EXCEEDED");
  expect(signal.aborted).toBe(true);
  expect(() => throwIfOver(call, systemClock, "a test")).toThrow(
    expect.objectContaining({ code: "DEADLINE_EXCEEDED" }),
  );
});

test("a wait that begins after the deadline ends as well, but not synchronously", async () => {
  const { call } = callWith(-1);
  let ended = false;
  const waited = codeOf(untilOver(never, { context: call, clock: systemClock, waitingFor: "a test" })).then((code) => {
    ended = true;
    return code;
  });
  expect(ended).toBe(false);
  expect(await waited).toBe("DEADLINE_EXCEEDED");
});

test("an answered call is watched only as long as something waits for it", async () => {
  const { call, deadlines } = callWith(600_000);
  const wait = { context: call, clock: systemClock, waitingFor: "a test" };
  expect(await untilOver(Promise.resolve(7), wait)).toBe(7);
  call.finish();
  expect(deadlines.size).toBe(0);

  const late = callWith(30);
  const waited = codeOf(untilOver(never, { ...wait, context: late.call }));
  late.call.finish();
  expect(await waited).toBe("DEADLINE_EXCEEDED");
});
