import { once } from "node:events";
import { type RedisSentinel, spawnRedisSentinel } from "@postern/shared/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allReady, type RedisSite, startRedisSite } from "./redis-site.ts";

let redis: RedisSentinel;
let site: RedisSite;

beforeAll(async () => {
  redis = await spawnRedisSentinel();
  const { host, port } = redis.address;
  site = await startRedisSite({ sentinels: { master: redis.master, addresses: [`${host}:${port}`] } });
}, 180_000);

afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

test("the primary is killed under load: no wrong answer, bans hold, and all services follow Sentinel", async () => {
  const { wrong, undecided } = await site.observe(async () => {
    redis.first.signal("SIGKILL");
    await once(redis.first.process, "exit");
  });
  expect(wrong).toEqual([]);
  expect(undecided.length).toBeGreaterThan(0);
  await allReady(site.all);
  expect(await redis.primaryPort()).toBe(redis.second.port);
});
