import { createRedisClient, type RedisClient, type RedisTopology } from "@postern/shared/platform/redis";
import { pause, poll, type RedisCluster, spawnRedis, spawnRedisCluster, spawnRedisSentinel } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startStallableProxy } from "../../support/stallable-proxy.ts";

/** A client with the limits of the configuration's defaults. */
function clientOf(topology: RedisTopology, commandTimeoutMs = 2000): RedisClient & Disposable {
  const settings = { topology, database: 0, username: undefined, password: undefined, tls: undefined };
  const limits = { connectTimeoutMs: 5000, commandTimeoutMs, maxRetries: 0, connectionName: "test" };
  const client = createRedisClient({ ...settings, ...limits }, () => undefined);
  return Object.assign(client, { [Symbol.dispose]: () => client.disconnect() });
}

const answers = (client: RedisClient): Promise<boolean> =>
  client.set("key", "value").then(
    () => true,
    () => false,
  );

const server = (port: number) => ({ kind: "standalone", address: { host: "127.0.0.1", port } }) as const;

test("a client leaves a connection on which no command is answered, because its host may be gone", async () => {
  await using redis = await spawnRedis();
  await using proxy = await startStallableProxy(redis.port);
  using client = clientOf(server(proxy.port));
  await poll("the connection", () => answers(client));
  proxy.stall();
  expect(await answers(client)).toBe(false);
  // Only new connections work: the old one stays stalled.
  proxy.resume();
  await poll("an answer over a new connection", () => answers(client));
});

test("a client follows Sentinel away from a frozen primary", async () => {
  await using redis = await spawnRedisSentinel();
  using client = clientOf({
    kind: "sentinel",
    master: redis.master,
    addresses: [redis.address],
    username: undefined,
    password: undefined,
  });
  await poll("the connection", () => answers(client));
  redis.first.signal("SIGSTOP");
  await poll("an answer by the new primary", () => answers(client));
  expect(await redis.primaryPort()).toBe(redis.second.port);
  redis.first.signal("SIGCONT");
});

test("a client follows Sentinel's word, without waiting for a command to fail", async () => {
  await using redis = await spawnRedisSentinel();
  const topology = { kind: "sentinel", master: redis.master, addresses: [redis.address] } as const;
  // No command and no connection times out while this test runs.
  using client = clientOf({ ...topology, username: undefined, password: undefined }, 600_000);
  await poll("the connection", () => answers(client));
  const closed = Promise.withResolvers<void>();
  client.once("close", closed.resolve);
  // A frozen primary cannot end the connection itself.
  redis.first.signal("SIGSTOP");
  await redis.failOver();
  await closed.promise;
  await poll("the new connection", () => client.status === "ready");
  expect(await client.info("replication")).toContain("role:master");
  expect(await redis.primaryPort()).toBe(redis.second.port);
  redis.first.signal("SIGCONT");
});

describe("a cluster", () => {
  let redis: RedisCluster;
  beforeAll(async () => {
    redis = await spawnRedisCluster({ replicas: 1 });
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  test("a client asks for the new master, without waiting for a command to fail", async () => {
    // No command and no connection times out while this test runs, so that none tells the client of the failure.
    using client = clientOf({ kind: "cluster", addresses: redis.addresses }, 600_000);
    await poll("the connection", () => answers(client));
    const master = await redis.masterOf("key");
    await poll("its replica", () => redis.hasReplica(master));
    await pause(master);
    await poll("another master", async () => (await redis.masterOf("key")).port !== master.port);
    let answered = false;
    const ask = (): boolean => {
      void answers(client).then((isAnswer) => {
        answered ||= isAnswer;
      });
      return answered;
    };
    expect(await poll("an answer by the new master", ask)).toBe(true);
    master.signal("SIGCONT");
  });
});

test("a command is not sent again after its connection was lost, because its caller has given up", async () => {
  await using redis = await spawnRedis();
  await using proxy = await startStallableProxy(redis.port);
  using client = clientOf(server(proxy.port), 500);
  await poll("the connection", () => answers(client));
  proxy.stall();
  await expect(client.incr("counter")).rejects.toThrow("timed out");
  proxy.resume();
  await poll("an answer over a new connection", () => answers(client));
  expect(await client.get("counter")).toBeNull();
});
