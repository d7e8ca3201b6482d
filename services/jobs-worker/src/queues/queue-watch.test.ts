import { poll } from "@postern/testing";
import { expect, test } from "vitest";
import { startQueueWatch } from "./queue-watch.ts";

test("the watch continues after a count that fails", async () => {
  let counts = 0;
  const watch = startQueueWatch({
    everyMs: 1,
    count: async () => {
      counts += 1;
      await Promise.reject(new Error("Redis is unavailable"));
    },
  });
  await poll("the third count", () => counts >= 3);
  watch.stop();
  expect(counts).toBeGreaterThanOrEqual(3);
});

test("a count that hangs is not repeated in parallel", async () => {
  let counts = 0;
  const hang = Promise.withResolvers<void>();
  let ticks = 0;
  const beside = startQueueWatch({ everyMs: 1, count: async () => void (ticks += 1) });
  const watch = startQueueWatch({
    everyMs: 1,
    count: () => {
      counts += 1;
      return hang.promise;
    },
  });
  await poll("time for many", () => ticks >= 20);
  expect(counts).toBe(1);
  hang.resolve();
  await poll("the next", () => counts >= 2);
  watch.stop();
  beside.stop();
});
