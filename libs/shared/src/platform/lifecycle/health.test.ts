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

test("a report does not wait for a check that hangs, which counts as before and then as failed", async () => {
  let hang = false;
  const ended = Promise.withResolvers<void>();
  const health = createHealth({
    checks: [{ name: "it", required: true, check: () => (hang ? new Promise(() => undefined) : undefined) }],
    onFailure: () => ended.resolve(),
  });
  health.phase = "ready";
  expect((await health.report()).status).toBe("up");
  hang = true;
  await delay(600);
  let hasFailed = false;
  void ended.promise.then(() => {
    hasFailed = true;
  });
  expect((await health.report()).status).toBe("up");
  // The order proves it, not a time: the check fails after a second.
  expect(hasFailed).toBe(false);
  await ended.promise;
  expect((await health.report()).status).toBe("down");
});

test("a check that never ends is down", async () => {
  const health = healthOf(() => new Promise(() => undefined), false);
  expect((await health.report()).status).toBe("degraded");
});
