import { expect, test, vi } from "vitest";
import { createConnectionMove } from "./connection-move.ts";

const message = (text: string) => ({ subject: text, bytes: Buffer.from(text), reply: undefined, headers: undefined });

test("what is published during a move is returned in order when it ends, whatever becomes of its buffer", () => {
  const move = createConnectionMove(() => undefined);
  expect(move.isUnderWay()).toBe(false);
  move.begin();
  move.begin();
  const first = message("first");
  move.hold(first);
  move.hold(message("second"));
  first.bytes.fill(0);
  expect(move.isUnderWay()).toBe(true);
  expect(move.end().map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(["first", "second"]);
  expect([move.isUnderWay(), move.end()]).toEqual([false, []]);
});

test("a move without a server is given up, and what was held is dropped", () => {
  vi.useFakeTimers();
  try {
    let givenUp = 0;
    const move = createConnectionMove(() => void (givenUp += 1));
    move.begin();
    move.hold(message("lost"));
    vi.advanceTimersByTime(2000);
    expect([givenUp, move.isUnderWay(), move.end()]).toEqual([1, false, []]);
    move.begin();
    move.end();
    vi.advanceTimersByTime(2000);
    expect(givenUp).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});

test("a move holds at most 16 MiB", () => {
  const move = createConnectionMove(() => undefined);
  move.begin();
  const large = { ...message("large"), bytes: Buffer.alloc(8 * 1024 * 1024) };
  move.hold(large);
  move.hold(large);
  expect(() => move.hold(message("x"))).toThrow("too much");
  expect(move.end()).toHaveLength(2);
});
