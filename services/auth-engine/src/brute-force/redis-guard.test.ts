import { expect, test } from "vitest";
import { createRedisGuard } from "./redis-guard.ts";

function watchedGuard() {
  const events: unknown[] = [];
  const guard = createRedisGuard({
    timeoutMs: 60_000,
    retryMs: 60_000,
    probe: async () => "OK",
    onAway: (reason) => events.push(["away", reason]),
    onWrongType: (reason) => events.push(["wrong type", reason]),
    onBack: () => events.push(["back"]),
  });
  return { guard, events };
}

test.each([
  "WRONGTYPE Operation against a key holding the wrong kind of value",
  "ERR WRONGTYPE Operation against a key holding the wrong kind of value script: f_1, on @user_script:1.",
])("a key of another type leaves Redis available: %s", async (message) => {
  const { guard, events } = watchedGuard();
  const error = new Error(message);
  expect(await guard.run(() => Promise.reject(error))).toBeUndefined();
  expect(events).toEqual([["wrong type", error]]);
  expect(guard.away).toBe(false);
  expect(await guard.run(async () => "answer")).toBe("answer");
});

test.each(["Connection is closed.", "LOADING Redis is loading the dataset in memory", "READONLY", "OOM"])(
  "any other error marks Redis as unavailable: %s",
  async (message) => {
    const { guard, events } = watchedGuard();
    const error = new Error(message);
    expect(await guard.run(() => Promise.reject(error))).toBeUndefined();
    expect(events).toEqual([["away", error]]);
    expect(guard.away).toBe(true);
    expect(await guard.run(async () => "answer")).toBeUndefined();
  },
);
