import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pauseAfterRefusals } from "./queue-worker.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const refusal = Object.assign(new Error("NOPERM"), { name: "ReplyError" });

function refusingWorker() {
  const worker = Object.assign(new EventEmitter(), { pause: vi.fn<() => void>(), resume: vi.fn<() => void>() });
  const reported: unknown[] = [];
  const refusals = pauseAfterRefusals(worker, (error) => reported.push(error));
  /** The pause after a refusal, in milliseconds. */
  const pauseMs = (): number => {
    const resumed = worker.resume.mock.calls.length;
    const began = Date.now();
    worker.emit("error", refusal);
    while (worker.resume.mock.calls.length === resumed) vi.advanceTimersToNextTimer();
    return Date.now() - began;
  };
  return { worker, reported, refusals, pauseMs };
}

test("each refusal in a row doubles the pause, up to a minute, and only the first is reported", () => {
  const { worker, reported, pauseMs } = refusingWorker();
  expect(Array.from({ length: 8 }, pauseMs)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  expect(reported).toEqual([refusal]);
  expect(worker.pause.mock.calls).toEqual(Array.from({ length: 8 }, () => [true]));
});

test.each(["active", "drained"])(
  "after the event %s, the pauses begin anew, and the next refusal is reported",
  (event) => {
    const { worker, reported, pauseMs } = refusingWorker();
    expect([pauseMs(), pauseMs()]).toEqual([1000, 2000]);
    worker.emit(event);
    expect(pauseMs()).toBe(1000);
    expect(reported).toEqual([refusal, refusal]);
  },
);

test("further refusals during a pause neither prolong it nor are reported, and a worker that ends does not resume", () => {
  const { worker, reported, refusals, pauseMs } = refusingWorker();
  worker.emit("error", refusal);
  expect(pauseMs()).toBe(1000);
  expect(reported).toEqual([refusal]);
  worker.emit("error", refusal);
  refusals.stop();
  vi.runAllTimers();
  expect(worker.resume).toHaveBeenCalledOnce();
});

test("other errors are reported, and nothing pauses", () => {
  const { worker, reported } = refusingWorker();
  const lost = new Error("the connection was lost");
  worker.emit("error", lost);
  expect([reported, worker.pause.mock.calls]).toEqual([[lost], []]);
});
