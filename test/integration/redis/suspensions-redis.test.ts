import { Suspensions } from "@postern/shared/domain/suspensions";
import type { RedisClient } from "@postern/shared/platform/redis";
import { poll, type RedisServer, spawnRedis } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testRedis } from "../../support/redis-content.ts";

let server: RedisServer;
let redis: RedisClient;
let nowMs = 0;
let restored: string[] = [];
const processes: Suspensions[] = [];

/** Without events: the version in Redis alone tells of changes. */
function suspensionsOf(): Suspensions {
  const one = new Suspensions({
    redis,
    keyPrefix: "p:",
    bus: { publish: () => false, subscribe: () => ({ unsubscribe: () => undefined }) },
    clock: { now: () => nowMs },
    onRead: () => undefined,
    onUnread: () => undefined,
    onRestored: (account) => restored.push(account),
  });
  processes.push(one);
  return one;
}

beforeAll(async () => {
  server = await spawnRedis();
  redis = await testRedis(server.port);
});

afterAll(async () => {
  for (const one of processes) one.close();
  redis.disconnect();
  await server[Symbol.asyncDispose]();
});

beforeEach(async () => {
  for (const one of processes.splice(0)) one.close();
  await redis.flushall();
  nowMs = Date.now();
  restored = [];
});

const alice = { account: "alice", sinceMs: 1, by: "ada", session: "s" };

test("another process learns of changes, and time ends them without one", async () => {
  const [one, other] = [suspensionsOf(), suspensionsOf()];
  expect(await one.suspend({ ...alice, untilMs: nowMs + 5000, reason: "why" })).toBe(true);
  expect(one.find("alice")).toMatchObject({ reason: "why" });
  await poll("the other process", () => other.find("alice"));
  expect([other.isAny, other.find("Alice"), other.find("bob")]).toEqual([true, undefined, undefined]);
  nowMs += 5000;
  expect([one.isAny, one.find("alice"), other.find("alice"), await other.read("alice"), other.all]).toEqual([
    false,
    undefined,
    undefined,
    undefined,
    [],
  ]);
});

test("what Redis has lost is written again, except what was resumed or has ended", async () => {
  const [one, other] = [suspensionsOf(), suspensionsOf()];
  await one.suspend(alice);
  await one.suspend({ ...alice, account: "bob" });
  await one.suspend({ ...alice, account: "carol", untilMs: nowMs + 1 });
  await poll("the other process", () => other.find("carol"));
  nowMs += 1;
  await redis.flushall();
  // The one that resumes has not noticed the loss; nor has the other one.
  await one.resume("bob");
  await poll("both", async () => (await other.read("alice")) !== undefined && other.find("bob") === undefined);
  await Promise.all([one.refresh(), other.refresh()]);
  expect(await redis.hkeys("p:suspensions")).toHaveLength(3);
  expect([one.find("alice"), one.find("bob"), other.find("bob"), other.find("carol")]).toEqual([
    expect.objectContaining({ by: "ada" }),
    undefined,
    undefined,
    undefined,
  ]);
  expect(new Set(restored)).toEqual(new Set(["alice"]));
});

test("of a process that was cut off for longer than resumed accounts are remembered, nothing is written again", async () => {
  const one = suspensionsOf();
  await one.suspend(alice);
  await redis.flushall();
  nowMs += 86_400_000;
  await one.refresh();
  expect([one.find("alice"), await redis.exists("p:suspensions")]).toEqual([undefined, 0]);
});

test("the number of accounts is bounded, and what has ended makes room", async () => {
  const full: Record<string, string> = {};
  for (let index = 0; index < 9999; index += 1) full[`user${index}`] = `0 ${JSON.stringify(alice)}`;
  await redis.hset("p:suspensions", full);
  const one = suspensionsOf();
  expect(await one.suspend({ ...alice, account: "last", untilMs: nowMs - 1 })).toBe(true);
  expect(await one.suspend(alice)).toBe(true);
  expect(await one.suspend({ ...alice, account: "bob" })).toBe(false);
  expect(await one.suspend({ ...alice, reason: "again" })).toBe(true);
});

test("a value that is not understood suspends nobody, and hides no other", async () => {
  const one = suspensionsOf();
  await redis.hset("p:suspensions", { broken: "x", other: '0 {"account":1}', "": "1" });
  await one.suspend(alice);
  expect([one.find("alice"), one.find("broken"), one.find("other"), await one.read("broken")]).toEqual([
    expect.anything(),
    undefined,
    undefined,
    undefined,
  ]);
});
