import { poll } from "@postern/testing";
import { expect, test } from "vitest";
import { startQueueWatch } from "./metrics.ts";

test("the watch continues after a count that fails", async () => {
  let counts = 0;
  const watch = startQueueWatch(async () => {
    counts += 1;
    await Promise.reject(new Error("Redis is unavailable"));
  }, 1);
  await poll("the third count", () => counts >= 3);
  watch.stop();
  expect(counts).toBeGreaterThanOrEqual(3);
});

test("a count that hangs is not repeated in parallel", async () => {
  let counts = 0;
  const hang = Promise.withResolvers<void>();
  let ticks = 0;
  const beside = startQueueWatch(async () => void (ticks += 1), 1);
  const watch = startQueueWatch(() => {
    counts += 1;
    return hang.promise;
  }, 1);
  await poll("time for many", () => ticks >= 20);
  expect(counts).toBe(1);
  hang.resolve();
  await poll("the next", () => counts >= 2);
  watch.stop();
  beside.stop();
});
