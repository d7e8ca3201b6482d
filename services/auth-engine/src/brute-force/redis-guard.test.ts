import { expect, test } from "vitest";
import { createRedisGuard } from "./redis-guard.ts";

function watchedGuard(retryMs = 60_000, probe = async () => "OK") {
  const events: unknown[] = [];
  const guard = createRedisGuard({
    timeoutMs: 60_000,
    retryMs,
    probe,
    onUnavailable: (reason) => events.push(["away", reason]),
    onWrongType: (reason) => events.push(["wrong type", reason]),
    onAvailable: () => events.push(["back"]),
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
  expect(guard.isUnavailable).toBe(false);
  expect(await guard.run(async () => "answer")).toBe("answer");
});

test.each(["Connection is closed.", "LOADING Redis is loading the dataset in memory", "READONLY", "OOM"])(
  "any other error marks Redis as unavailable: %s",
  async (message) => {
    const { guard, events } = watchedGuard();
    const error = new Error(message);
    expect(await guard.run(() => Promise.reject(error))).toBeUndefined();
    expect(events).toEqual([["away", error]]);
    expect(guard.isUnavailable).toBe(true);
    expect(await guard.run(async () => "answer")).toBeUndefined();
  },
);

test("Redis is available again once it answers a probe, one of which is sent at a time", async () => {
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let probes = 0;
  const { guard, events } = watchedGuard(0, () => answers[probes++]?.promise ?? Promise.resolve("OK"));
  const error = new Error("Connection is closed.");
  const refuse = () => guard.run(async () => "answer");
  await guard.run(() => Promise.reject(error));
  expect([await refuse(), await refuse(), probes]).toEqual([undefined, undefined, 1]);
  answers[0]?.reject(error);
  await Promise.allSettled([answers[0]?.promise]);
  expect([await refuse(), probes, guard.isUnavailable]).toEqual([undefined, 2, true]);
  answers[1]?.resolve("OK");
  await answers[1]?.promise;
  await Promise.resolve();
  expect(guard.isUnavailable).toBe(false);
  expect(events).toEqual([["away", error], ["back"]]);
  expect(await refuse()).toBe("answer");
});
