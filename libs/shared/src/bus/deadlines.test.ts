import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createDeadlines, notListed, type Timed } from "./deadlines.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function timed(expire: () => void): Timed {
  return { expiresAtMs: 0, slot: notListed, previous: undefined, next: undefined, expire };
}

describe("deadlines", () => {
  test("each entry expires once, never early and at most 33 ms late, whatever the mix of deadlines", () => {
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

  test("a removed entry never expires, even when another's expiry removes it in the same sweep", () => {
    const deadlines = createDeadlines();
    const first = vi.fn<() => void>();
    const neighbour = timed(first);
    deadlines.insert(neighbour, 50);
    deadlines.remove(neighbour);
    deadlines.remove(neighbour);
    expect(deadlines.size).toBe(0);
    vi.advanceTimersByTime(1000);
    expect(first).not.toHaveBeenCalled();
  });

  test("an expiry may list new entries", () => {
    const deadlines = createDeadlines();
    const second = vi.fn<() => void>();
    deadlines.insert(
      timed(() => deadlines.insert(timed(second), 20)),
      20,
    );
    vi.advanceTimersByTime(200);
    expect(second).toHaveBeenCalledTimes(1);
  });

  test("one timer serves all entries, and none is left when nothing is pending", () => {
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
