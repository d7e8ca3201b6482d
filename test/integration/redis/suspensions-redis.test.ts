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
    onStale: () => undefined,
    onRestored: (account) => restored.push(account),
  });
  processes.push(one);
  return one;
}

beforeAll(async () => {
  server = await spawnRedis();
  redis = await testRedis(server.port);
  // Of the processes of all tests.
  redis.setMaxListeners(20);
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

test("a name as typed counts in any letter case, and an account's own name only as its backend spells it", async () => {
  const one = suspensionsOf();
  await one.suspend(alice);
  await one.suspend({ ...alice, account: "info@example.test", isTyped: true });
  expect([one.find("Info@Example.Test"), one.find("Alice"), one.find("alice")]).toEqual([
    expect.objectContaining({ account: "info@example.test" }),
    undefined,
    expect.anything(),
  ]);
});

test("what the site has suspended, those who are limited to domains neither replace nor resume, whatever they have read before", async () => {
  const one = suspensionsOf();
  const limited = { ...alice, by: "panel", isLimited: true };
  expect([await one.suspend(limited), await one.suspend(alice), await one.suspend(limited)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([await one.resume("alice", true), one.find("alice")?.by]).toEqual([false, "ada"]);
  // The site replaces what others suspended, and what it says in the text for the user decides nothing.
  expect(await one.suspend({ ...alice, reason: '"isLimited":true' })).toBe(true);
  expect([await one.suspend(limited), await one.resume("alice")]).toEqual([false, true]);
  expect([await one.suspend(limited), await one.resume("alice", true), one.find("alice")]).toEqual([
    true,
    true,
    undefined,
  ]);
  // A suspension that has ended is nobody's.
  await one.suspend({ ...alice, untilMs: nowMs - 1 });
  expect(await one.suspend(limited)).toBe(true);
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

test("accounts that were resumed take no room of those that are suspended, and have a bound of their own", async () => {
  const resumed: Record<string, string> = {};
  for (let index = 0; index < 20_000; index += 1) resumed[`user${index}`] = `${nowMs + 60_000} null`;
  await redis.hset("p:suspensions", resumed);
  const one = suspensionsOf();
  expect(await one.suspend(alice)).toBe(true);
  await expect(one.resume("alice")).rejects.toMatchObject({ code: "REDIS_UNAVAILABLE" });
  expect(one.find("alice")).toBeDefined();
  expect(await one.suspend({ ...alice, account: "user7" })).toBe(true);
  await one.resume("alice");
  expect([one.find("alice"), one.find("user7")]).toEqual([undefined, expect.anything()]);
});

test("thousands of suspensions that Redis has lost are written again at once", async () => {
  const full: Record<string, string> = { "": "1" };
  const one = suspensionsOf();
  for (let index = 0; index < 9999; index += 1)
    full[`user${index}`] = `0 ${JSON.stringify({ ...alice, account: `user${index}` })}`;
  await redis.hset("p:suspensions", full);
  await poll("all", () => one.all.length === 9999);
  expect(one.hasRead).toBe(true);
  await redis.flushall();
  await poll("all in Redis", () => restored.length === 9999, 5000);
  expect(await redis.hlen("p:suspensions")).toBe(10_000);
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
