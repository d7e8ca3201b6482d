import { createRevoker } from "@postern/shared/domain/tokens";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { type RedisServer, spawnRedis } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testRedis } from "../../support/redis-content.ts";
import { createCounting } from "../brute-force/counting.ts";

let server: RedisServer;
let redis: RedisClient;

beforeAll(async () => {
  server = await spawnRedis();
  redis = await testRedis(server.port);
});

afterAll(async () => {
  redis.disconnect();
  await server[Symbol.asyncDispose]();
});

/** Commands of clients and of scripts, by name. */
async function calls(): Promise<Record<string, number>> {
  const stats = [...(await redis.info("commandstats")).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gmu)];
  return Object.fromEntries(stats.map(([, name = "", count]) => [name, Number(count)]));
}

async function during(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await calls();
  await work();
  const after = await calls();
  const grown = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(grown.filter(([name, count]) => count > 0 && name !== "info"));
}

test("without regions, protection and revocation take the commands that they always took, and no key is of other regions", async () => {
  const counting = createCounting(redis);
  // Scripts are known to Redis from here on.
  await counting.fail("192.0.2.1", "wrong-0");
  await counting.state.flush({ ipAddress: "192.0.2.1", ruleName: "*" });
  await counting.fail("192.0.2.1", "wrong-1");
  expect(await during(() => counting.fail("192.0.2.1", "wrong-2"))).toEqual({
    evalsha: 1,
    time: 1,
    mget: 1,
    hlen: 1,
    hsetnx: 1,
    pfadd: 1,
    pfcount: 1,
    hmget: 2,
    hincrby: 2,
  });
  // Counts of two rules, tolerance of two windows in two networks, guesses; then two bans, and both from the index.
  expect(await during(() => counting.state.flush({ ipAddress: "192.0.2.1", ruleName: "*" }))).toEqual({
    del: 9,
    zrem: 2,
  });
  const revoker = createRevoker(redis, "test:", systemClock);
  expect(await during(() => revoker.deny("token", Date.now() + 60_000))).toEqual({ set: 1 });
  expect(await redis.keys("*elsewhere*")).toEqual([]);
  expect(await redis.keys("*origins*")).toEqual([]);
  expect(await redis.keys("*regions*")).toEqual([]);
});
