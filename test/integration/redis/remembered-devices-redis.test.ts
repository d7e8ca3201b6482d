import { createRememberedDevices, newCookieEntry } from "@postern/shared/domain/remembered-devices";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import { type RedisClient, rememberedDevicesKey } from "@postern/shared/platform/redis";
import { type RedisServer, spawnRedis } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { redisContent, testRedis } from "../../support/redis-content.ts";

let server: RedisServer;
let redis: RedisClient;
let nowMs = 0;
const lifeMs = 3_600_000;
const keys = createKeyRing([new Secret("an-encryption-secret")], "remembered-device");

const replica = (more: { readonly lifeMs?: number; readonly keyPrefix?: string } = {}) =>
  createRememberedDevices({ redis, keyPrefix: "p:", keys, clock: { now: () => nowMs }, lifeMs, ...more });

beforeAll(async () => {
  server = await spawnRedis();
  redis = await testRedis(server.port);
});

afterAll(async () => {
  redis.disconnect();
  await server[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await redis.flushall();
  nowMs = Date.now();
});

const alice = "alice@example.test";
const password = new Secret("the password of alice");
const browser = { userAgent: "a browser", clientIp: "192.0.2.7" };

async function remembered(devices = replica(), account = alice) {
  const entry = newCookieEntry();
  await devices.remember(account, { entry, check: devices.passwordCheck(account, entry, password) }, browser);
  return entry;
}

async function used(devices: ReturnType<typeof replica>, entry: ReturnType<typeof newCookieEntry>) {
  const found = await devices.find(alice, [newCookieEntry(), entry], password);
  return found.found === "device" ? devices.use(alice, found) : found;
}

test("of two replicas that use a device at the same moment, both accept it and send the same next value", async () => {
  const [one, other] = [replica(), replica()];
  const entry = await remembered(one);
  const answers = await Promise.all([one, other, one, other].map((devices) => used(devices, entry)));
  const [first] = answers;
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(first).toMatchObject({ entry: { id: entry.id, key: entry.key }, isReused: false });
  const next = first !== undefined && "entry" in first ? first.entry : undefined;
  if (next === undefined) throw new Error("the device was not accepted");
  expect(next.token).not.toBe(entry.token);
  // The next value is used in turn; the first one is two uses old, and therefore a copy.
  expect(await used(other, next)).toMatchObject({ entry: { id: entry.id }, isReused: false });
  expect(await used(one, entry)).toEqual({ entry: undefined, isReused: true });
  expect(await used(one, next)).toEqual({ found: "none" });
});

test("a value that was replaced more than a minute ago ends the device", async () => {
  const devices = replica();
  const entry = await remembered(devices);
  await used(devices, entry);
  nowMs += 59_000;
  expect(await used(devices, entry)).toMatchObject({ entry: { id: entry.id } });
  nowMs += 1000;
  expect(await used(devices, entry)).toEqual({ entry: undefined, isReused: true });
  expect(await devices.list(alice)).toEqual([]);
});

test("a device counts neither after its lifetime, nor with another password, nor for another account, nor while the site offers none", async () => {
  const devices = replica();
  const entry = await remembered(devices);
  const { id } = entry;
  expect(await devices.find(alice, [entry], new Secret("another"))).toEqual({ found: "ended", id, reason: "password" });
  const otherKey = { ...entry, key: newCookieEntry().key };
  expect(await devices.find(alice, [otherKey], password)).toMatchObject({ reason: "password" });
  expect(await devices.find("bob@example.test", [entry], password)).toEqual({ found: "none" });
  expect(await devices.find(alice, [], password)).toEqual({ found: "none" });
  expect(await replica({ lifeMs: 0 }).find(alice, [entry], password)).toEqual({ found: "none" });
  // A record that was moved to another account opens for nobody.
  const from = await redis.keys("*");
  const to = await remembered(devices, "bob@example.test");
  const value = await redis.hget(from[0] ?? "", id);
  const target = (await redis.keys("*")).find((key) => !from.includes(key));
  await redis.hset(target ?? "", to.id, value ?? "");
  expect(await devices.find("bob@example.test", [to], password)).toMatchObject({ reason: "unreadable" });
  nowMs += lifeMs - 1;
  expect(await devices.find(alice, [entry], password)).toMatchObject({ found: "device" });
  nowMs += 1;
  expect(await devices.find(alice, [entry], password)).toMatchObject({ reason: "expired" });
  expect(await devices.list(alice)).toEqual([]);
});

test("an account has at most sixteen, of which the one that was used longest ago goes", async () => {
  const devices = replica();
  const first = await remembered(devices);
  const second = await remembered(devices);
  nowMs += 1000;
  await used(devices, first);
  for (let count = 0; count < 15; count += 1) await remembered(devices);
  const ids = (await devices.list(alice)).map(({ id }) => id);
  expect([ids.length, ids.includes(first.id), ids.includes(second.id)]).toEqual([16, true, false]);
});

test("a form that is sent twice remembers one device, and forgetting ends one or all", async () => {
  const devices = replica();
  const entry = newCookieEntry();
  const check = devices.passwordCheck(alice, entry, password);
  await Promise.all([0, 1].map(() => devices.remember(alice, { entry, check }, browser)));
  expect(await devices.list(alice)).toEqual([
    { id: entry.id, sinceMs: nowMs, usedMs: nowMs, endsMs: nowMs + lifeMs, ...browser },
  ]);
  await remembered(devices);
  expect([await devices.forget(alice, entry.id), await devices.forget(alice, entry.id)]).toEqual([true, false]);
  expect([await devices.forgetAll(alice), await devices.forgetAll(alice)]).toEqual([1, 0]);
});

test("Redis has nothing that a browser could present, no password and no name, and forgets by itself", async () => {
  const entry = await remembered();
  const content = await redisContent(redis);
  expect(content).toContain(entry.id);
  for (const secret of [entry.token, entry.key, password.reveal(), alice, browser.userAgent, browser.clientIp])
    expect(content).not.toContain(secret);
  const [key = ""] = await redis.keys("*");
  expect(key).toMatch(/^p:factor:devices:\{/u);
  const ttl = await redis.ttl(key);
  expect(ttl).toBeLessThanOrEqual(lifeMs / 1000);
  expect(ttl).toBeGreaterThan(0);
  expect(rememberedDevicesKey.ttlSeconds).toBe(400 * 86_400);
});
