import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHealth, type HealthCheck } from "./health.ts";

const unhandled: unknown[] = [];
const remember = (reason: unknown): void => void unhandled.push(reason);

beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", remember);
});

afterEach(() => void process.off("unhandledRejection", remember));

function healthOf(check: HealthCheck["check"], required = true) {
  const health = createHealth({ checks: [{ name: "it", required, check }], onFailure: () => undefined });
  health.phase = "ready";
  return health;
}

test("a check that throws synchronously is down, and leaves no unhandled rejection", async () => {
  const health = healthOf(() => {
    throw new Error("away");
  });
  expect(await health.report()).toEqual({ status: "down", checks: { it: "down" } });
  await delay(1100);
  expect(unhandled).toEqual([]);
});

test("a check that never ends is down", async () => {
  const health = healthOf(() => new Promise(() => undefined), false);
  expect((await health.report()).status).toBe("degraded");
});
