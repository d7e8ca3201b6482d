import { once } from "node:events";
import { pause, poll, type RedisCluster, type RedisServer, spawnRedisCluster } from "@postern/shared/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allReady, type RedisSite, startRedisSite } from "./redis-site.ts";

let redis: RedisCluster;
let site: RedisSite;

beforeAll(async () => {
  redis = await spawnRedisCluster({ replicas: 1 });
  site = await startRedisSite({
    cluster: { addresses: redis.addresses.map(({ host, port }) => `${host}:${port}`) },
  });
}, 180_000);

afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

/** The keys of the ban are on this node. */
async function masterOfBans(): Promise<RedisServer> {
  const master = await redis.masterOf(`{${site.banTag}}`);
  await poll("its replica", () => redis.hasReplica(master), 60_000);
  return master;
}

test("a frozen master is replaced: no wrong answer, bans hold, and all services follow the cluster", async () => {
  const master = await masterOfBans();
  const { wrong } = await site.observe(async () => {
    await pause(master);
  });
  expect(wrong).toEqual([]);
  await allReady(site.all);
  expect((await redis.masterOf(`{${site.banTag}}`)).port).not.toBe(master.port);
  master.signal("SIGCONT");
});

test("a killed master is replaced: no wrong answer, bans hold, and all services follow the cluster", async () => {
  const master = await masterOfBans();
  const { wrong } = await site.observe(async () => {
    master.signal("SIGKILL");
    await once(master.process, "exit");
  });
  expect(wrong).toEqual([]);
  await allReady(site.all);
  expect((await redis.masterOf(`{${site.banTag}}`)).port).not.toBe(master.port);
});
