import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createServerChange } from "./server-change.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function changeWithCount() {
  const state = { givenUp: 0 };
  const change = createServerChange(() => void (state.givenUp += 1));
  return { change, state };
}

test("a change is under way until there is a connection again, and has no limit before the connection is replaced", () => {
  const { change, state } = changeWithCount();
  expect(change.isUnderWay()).toBe(false);
  change.begin();
  vi.advanceTimersByTime(60_000);
  expect(change.isUnderWay()).toBe(true);
  change.replacing();
  vi.advanceTimersByTime(2999);
  expect(change.isUnderWay()).toBe(true);
  change.end();
  vi.advanceTimersByTime(60_000);
  expect([change.isUnderWay(), state.givenUp]).toEqual([false, 0]);
});

test("a change is given up once if no server accepts the connection within three seconds", () => {
  const { change, state } = changeWithCount();
  change.begin();
  change.replacing();
  change.replacing();
  vi.advanceTimersByTime(3000);
  expect([change.isUnderWay(), state.givenUp]).toEqual([false, 1]);
  vi.advanceTimersByTime(60_000);
  expect(state.givenUp).toBe(1);
});
