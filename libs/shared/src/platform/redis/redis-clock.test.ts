import { expect, test } from "vitest";
import { createRedisClock } from "./redis-clock.ts";

/** @param trueMs what Redis's clock says while `steady` is 0 */
function measuredClock(trueMs: number) {
  let steadyMs = 0;
  let redisMs = trueMs;
  let tookMs = { there: 0, back: 0 };
  const clock = createRedisClock({
    redis: {
      time: async () => {
        steadyMs += tookMs.there;
        const ms = redisMs + steadyMs;
        steadyMs += tookMs.back;
        return [Math.floor(ms / 1000), (ms % 1000) * 1000];
      },
    },
    steadyClock: { now: () => steadyMs },
    wallClock: { now: () => 0 },
  });
  return {
    measure: async (there: number, back: number) => {
      tookMs = { there, back };
      await clock.measure();
      return clock.now() - steadyMs;
    },
    set: (ms: number) => {
      redisMs = ms;
    },
  };
}

test("the first measurement counts, however slow, and a faster one corrects it", async () => {
  const { measure } = measuredClock(5_000_000);
  expect(await measure(3000, 0)).toBe(5_001_500);
  expect(await measure(1, 1)).toBe(5_000_000);
});

test("a slow measurement that agrees with the faster one before it changes nothing", async () => {
  const { measure } = measuredClock(5_000_000);
  expect(await measure(1, 1)).toBe(5_000_000);
  for (const delay of [1, 2, 3, 4001, 5000, 6002, 7003]) {
    expect(Math.abs((await measure(0, delay)) - 5_000_000)).toBeLessThanOrEqual(2);
    expect(Math.abs((await measure(delay, 0)) - 5_000_000)).toBeLessThanOrEqual(2);
  }
});

test("a slow measurement counts again after a host with another clock has replaced Redis", async () => {
  const { measure, set } = measuredClock(5_000_000);
  await measure(1, 1);
  set(5_000_900);
  expect(Math.abs((await measure(3, 0)) - 5_000_900)).toBeLessThanOrEqual(2);
  expect(Math.abs((await measure(901, 0)) - 5_000_900)).toBeLessThanOrEqual(2);
  expect(await measure(0, 0)).toBe(5_000_900);
});

test("a clock of Redis that was set counts, even by a slow measurement", async () => {
  const { measure, set } = measuredClock(5_000_000);
  await measure(1, 1);
  set(6_000_000);
  expect(await measure(200, 0)).toBe(6_000_100);
});
