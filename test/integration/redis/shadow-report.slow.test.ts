import { createSecretKey } from "node:crypto";
import {
  accountDigest,
  createShadowReport,
  createShadowWriter,
  differencePlace,
  maxDifferences,
} from "@postern/shared/domain/shadow";
import { createKeyedDigest, createKeyRing, Secret } from "@postern/shared/platform/crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { type RedisServer, spawnRedis } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { redisContent, testRedis } from "../../support/redis-content.ts";

let server: RedisServer;
let redis: RedisClient;
const keys = createKeyRing([new Secret("a-secret-of-the-test")], "shadow");
const digest = createKeyedDigest(createSecretKey(Buffer.alloc(32)));
const nowMs = 1_900_000_000_000;

beforeAll(async () => {
  server = await spawnRedis();
  redis = await testRedis(server.port);
});

afterAll(async () => {
  redis.disconnect();
  await server[Symbol.asyncDispose]();
});

const storeOf = () => ({ redis, keyPrefix: "postern:", keys });
const account = (number: number): string => `a${number}@example.test`;
const missing = (from: number, to: number) =>
  new Map(
    Array.from({ length: to - from }, (_, index) => from + index).map((number) => [
      differencePlace("missing", "imap", accountDigest(account(number), digest)),
      { account: account(number), protocol: "imap" },
    ]),
  );
const batch = (number: number, more: object = {}) => ({
  number,
  timeMs: nowMs,
  counts: new Map<string, number>(),
  differences: new Map(),
  ...more,
});

beforeEach(() => createShadowReport(storeOf()).reset());

test("a batch that is sent twice counts once, and engines add up", async () => {
  const [one, other] = ["one", "other"].map((engine) => createShadowWriter(storeOf(), engine));
  const counts = new Map([
    ["compared", 3],
    ["kind:missing", 2],
  ]);
  await one?.(batch(1, { counts, differences: missing(0, 2) }));
  await one?.(batch(1, { counts, differences: missing(0, 2) }));
  await other?.(batch(1, { counts, differences: missing(1, 3) }));
  const report = await createShadowReport(storeOf()).read({ size: 10 });
  expect(report).toMatchObject({ compared: 6, accounts: 3, sinceMs: nowMs });
  expect(report.kinds[0]).toEqual({ kind: "missing", requests: 4, accounts: 3 });
});

test("nothing personal is readable in Redis, and everything expires", async () => {
  await createShadowWriter(storeOf(), "sealed")(batch(1, { differences: missing(0, 1) }));
  expect(JSON.stringify(await redisContent(redis))).not.toContain("example.test");
  for (const key of await redis.keys("postern:shadow:*")) expect(await redis.ttl(key)).toBeGreaterThan(0);
  const others = { ...storeOf(), keys: createKeyRing([new Secret("another-secret-here")], "shadow") };
  expect((await createShadowReport(others).read({ size: 10 })).differences).toEqual([]);
});

test("the newest 10,000 differences stay, pages list each once, and those of a month ago are gone", async () => {
  const write = createShadowWriter(storeOf(), "many");
  for (let number = 1; number <= 21; number += 1) {
    const differences = missing((number - 1) * 500, number * 500);
    await write(batch(number, { timeMs: nowMs + number, differences }));
  }
  const report = createShadowReport(storeOf());
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await report.read({ size: 499, kind: "missing", cursor });
    seen.push(...page.differences.map((difference) => difference.account));
    cursor = page.next;
  } while (cursor !== undefined);
  expect([seen.length, new Set(seen).size]).toEqual([maxDifferences, maxDifferences]);
  expect([seen.includes(account(0)), seen.includes(account(500))]).toEqual([false, true]);
  await write(batch(22, { timeMs: nowMs + 31 * 86_400_000, differences: missing(0, 1) }));
  expect((await report.read({ size: 10 })).differences.map((one) => one.account)).toEqual([account(0)]);
});

test("domains beyond the limit count together", async () => {
  const write = createShadowWriter(storeOf(), "domains");
  for (let number = 1; number <= 5; number += 1) {
    const counts = new Map(Array.from({ length: 1000 }, (_, index) => [`domain:d${number}-${index}:compared`, 1]));
    await write(batch(number, { counts }));
  }
  const { domains } = await createShadowReport(storeOf()).read({ size: 1 });
  expect(domains.length).toBeLessThanOrEqual(4000);
  expect(domains.reduce((sum, { compared }) => sum + compared, 0)).toBe(5000);
  expect(domains.find(({ name }) => name === "*")?.compared).toBeGreaterThan(999);
});
