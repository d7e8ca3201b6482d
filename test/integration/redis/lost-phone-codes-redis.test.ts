import { createLostPhoneCodes } from "@postern/shared/domain/lost-phone";
import type { RedisClient } from "@postern/shared/platform/redis";
import { type RedisServer, spawnRedis } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { redisContent, testRedis } from "../../support/redis-content.ts";

let server: RedisServer;
let redis: RedisClient;
const nowMs = 1_900_000_000_000;
const alice = "alice@example.test";
const replica = () => createLostPhoneCodes(redis, "p:", { now: () => nowMs });

beforeAll(async () => {
  server = await spawnRedis();
  redis = await testRedis(server.port);
});

afterAll(async () => {
  redis.disconnect();
  await server[Symbol.asyncDispose]();
});

beforeEach(async () => void (await redis.flushall()));

test("of sign-ins at several replicas, one redeems a code, and only that one may repeat its form", async () => {
  const { code } = await replica().issue(alice);
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, index) => replica().redeem(alice, code, `flow-${index}`)),
  );
  expect(outcomes.toSorted()).toEqual(["redeemed", ...Array.from({ length: 7 }, () => "wrong")]);
  const flow = `flow-${outcomes.indexOf("redeemed")}`;
  expect(await replica().redeem(alice, code, flow)).toBe("repeated");
  expect(await replica().redeem(alice, "AAAA-AAAA-AAAA-AAAA", flow)).toBe("wrong");
});

test("a code may be typed in any case and without dashes, and is for its account only", async () => {
  const { code } = await replica().issue(alice);
  expect(code).toMatch(/^[A-HJKMNP-Z2-9]{4}(-[A-HJKMNP-Z2-9]{4}){3}$/u);
  expect(await replica().redeem("bob@example.test", code, "flow")).toBe("wrong");
  expect(await replica().redeem(alice, ` ${code.replaceAll("-", "").toLowerCase()} `, "flow")).toBe("redeemed");
});

test("a new code replaces the previous one, and a suspension ends it", async () => {
  const first = await replica().issue(alice);
  const second = await replica().issue(alice);
  expect(await replica().redeem(alice, first.code, "flow")).toBe("wrong");
  await replica().forget(alice);
  expect(await replica().redeem(alice, second.code, "flow")).toBe("wrong");
});

test("ten wrong codes end it", async () => {
  const { code } = await replica().issue(alice);
  const { code: other } = await replica().issue("bob@example.test");
  for (let count = 0; count < 10; count += 1) expect(await replica().redeem(alice, other, "flow")).toBe("wrong");
  expect(await replica().redeem(alice, code, "flow")).toBe("wrong");
  const third = await replica().issue(alice);
  for (let count = 0; count < 9; count += 1) await replica().redeem(alice, other, "flow");
  expect(await replica().redeem(alice, third.code, "flow")).toBe("redeemed");
});

test("it expires after an hour, used or not, and Redis has neither the code nor the name", async () => {
  const { code, expiresMs } = await replica().issue(alice);
  expect(expiresMs).toBe(nowMs + 3_600_000);
  await replica().redeem(alice, code, "flow");
  const content = await redisContent(redis);
  for (const text of [code, code.replaceAll("-", ""), alice]) expect(content).not.toContain(text);
  const [key = ""] = await redis.keys("*");
  expect(await redis.ttl(key)).toBeLessThanOrEqual(3600);
  expect(await redis.ttl(key)).toBeGreaterThan(0);
});
