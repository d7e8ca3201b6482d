import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createDeadlines, notListed, type Timed } from "./deadlines.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function timed(expire: () => void): Timed {
  return { expiresAtMs: 0, slot: notListed, previous: undefined, next: undefined, expire };
}

describe("deadlines", () => {
  test("each entry expires once, never early and at most 33 ms late, for any mix of deadlines", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 40 }), (delays) => {
        const deadlines = createDeadlines();
        const startMs = performance.now();
        const seen: { delay: number; at: number }[] = [];
        for (const delay of delays) {
          deadlines.insert(
            timed(() => seen.push({ delay, at: performance.now() - startMs })),
            delay,
          );
        }
        vi.advanceTimersByTime(101_000);
        expect(seen).toHaveLength(delays.length);
        for (const { delay, at } of seen) {
          expect(at).toBeGreaterThanOrEqual(delay);
          expect(at).toBeLessThanOrEqual(delay + 33);
        }
      }),
      { numRuns: 20 },
    );
  });

  test("a removed entry never expires, and removing it again does nothing", () => {
    const deadlines = createDeadlines();
    const expire = vi.fn<() => void>();
    const entry = timed(expire);
    deadlines.insert(entry, 50);
    deadlines.remove(entry);
    deadlines.remove(entry);
    expect(deadlines.size).toBe(0);
    vi.advanceTimersByTime(1000);
    expect(expire).not.toHaveBeenCalled();
  });

  test("of two entries that are due together and remove each other, one expires", () => {
    const deadlines = createDeadlines();
    const seen: string[] = [];
    const first: Timed = timed(() => {
      seen.push("first");
      deadlines.remove(second);
    });
    const second: Timed = timed(() => {
      seen.push("second");
      deadlines.remove(first);
    });
    deadlines.insert(first, 50);
    deadlines.insert(second, 50);
    vi.advanceTimersByTime(1000);
    expect(seen).toHaveLength(1);
  });

  test("an expiry may insert new entries", () => {
    const deadlines = createDeadlines();
    const second = vi.fn<() => void>();
    deadlines.insert(
      timed(() => deadlines.insert(timed(second), 20)),
      20,
    );
    vi.advanceTimersByTime(200);
    expect(second).toHaveBeenCalledTimes(1);
  });

  test("one timer serves all entries, and none is set when no entry is pending", () => {
    const deadlines = createDeadlines();
    for (let index = 0; index < 1000; index += 1)
      deadlines.insert(
        timed(() => undefined),
        index,
      );
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1100);
    expect(deadlines.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
