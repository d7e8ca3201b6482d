import type { Ok } from "@postern/shared/contracts";
import { createAccountFlush, nameDigest } from "@postern/shared/domain/account-epoch";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { freePort, poll, type RedisServer, spawnRedis } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createRedisResultCache } from "../../../services/auth-engine/src/result-cache/result-cache-redis.ts";
import type { CacheKey, SharedCache } from "../../../services/auth-engine/src/result-cache/shared-cache.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";

const keyPrefix = "t:";
const secret = new Secret("first-encryption-secret");
const digest = Buffer.alloc(32, 7);
const backend = "sql";
const ttlMs = 60_000;

let server: RedisServer;
let redis: RedisClient;
let cache: SharedCache;
let published: string[][];

const bus: Parameters<typeof createAccountFlush>[0]["bus"] = {
  publish: (_event, body) => {
    published.push(Object.values(Object(body)).flat().map(String));
    return true;
  },
};
const flush = (user: string) => createAccountFlush({ redis, bus, keyPrefix })(user);

const okOf = (account: string): Ok => ({
  outcome: "ok",
  account,
  accountField: "mail",
  totpSecretField: "",
  backend: 2,
  attributes: { mail: ["canary-9c1e@example.test"] },
  memoryCache: "miss",
});
const keyOf = (username: string, context = `${username} imap`, family: CacheKey["family"] = "result") =>
  ({ username, context, family }) satisfies CacheKey;

async function login(key: CacheKey, account: string): Promise<boolean> {
  const read = await cache.read(key);
  return cache.write(key, { result: { digest, decision: okOf(account), backendName: backend }, read, ttlMs });
}

/** Keys that contain the digest of an account. */
async function flushable(account: string): Promise<readonly string[]> {
  return redis.keys(`*${nameDigest(account)}*`);
}

describe.each(["one server", "a cluster"])("the result cache in %s", (kind) => {
  /** In a cluster: a node with all slots, which rejects commands with keys of two slots. */
  beforeAll(async () => {
    if (kind === "one server") {
      server = await spawnRedis();
      redis = await testRedis(server.port);
      return;
    }
    const busPort = String(await freePort());
    server = await spawnRedis({ args: ["--cluster-enabled", "yes", "--cluster-port", busPort] });
    redis = await testRedis(server.port);
    // As that of a client for clusters.
    Object.defineProperty(redis, "isCluster", { value: true });
    await redis.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
    await poll("the cluster", async () => String(await redis.call("CLUSTER", "INFO")).includes("cluster_state:ok"));
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  beforeEach(async () => {
    await redis.flushall();
    published = [];
    cache = createRedisResultCache(redis, keyPrefix, createKeyRing([secret], "result-cache"));
  });

  test("a result that one engine stored is read by another in the same context and family only", async () => {
    expect(await login(keyOf("alice"), "alice")).toBe(true);
    expect((await cache.read(keyOf("alice"))).result).toEqual({
      digest,
      decision: okOf("alice"),
      backendName: backend,
    });
    expect((await cache.read(keyOf("alice", "alice smtp"))).result).toBeUndefined();
    expect((await cache.read(keyOf("alice", "alice imap", "identity"))).result).toBeUndefined();
  });

  test("a login name other than the account's own finds the account's results from the first login on", async () => {
    expect(await login(keyOf("al"), "alice")).toBe(true);
    expect((await cache.read(keyOf("al"))).result?.decision.account).toBe("alice");
  });

  test("Redis contains no attribute and no digest of a password, and every key expires", async () => {
    await login(keyOf("al"), "alice");
    await flush("bob");
    const content = await redisContent(redis);
    expect(content).not.toContain("canary-9c1e");
    expect(content).not.toContain(digest.toString("base64"));
    expect(content).not.toContain(digest.toString("hex"));
    const keys = await redis.keys("*");
    expect(keys.length).toBeGreaterThan(4);
    for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0);
  });

  test.each(["alice", "al"])(
    "a flush by %s removes all results, names exactly the deleted keys, and publishes an event",
    async (user) => {
      await login(keyOf("al"), "alice");
      await login(keyOf("al", "al smtp"), "alice");
      await login(keyOf("alice"), "alice");
      await login(keyOf("alice", "alice imap", "identity"), "alice");
      await login(keyOf("bob"), "bob");
      const before = new Set(await redis.keys("*"));
      const { removedKeys } = await flush(user);
      const after = new Set(await redis.keys("*"));
      expect(removedKeys.toSorted()).toEqual(
        [...before].filter((key) => !after.has(key) && /:(?:result|identity|login-name):/.test(key)).toSorted(),
      );
      expect(removedKeys).toHaveLength(5);
      for (const key of [
        keyOf("al"),
        keyOf("al", "al smtp"),
        keyOf("alice"),
        keyOf("alice", "alice imap", "identity"),
      ]) {
        expect((await cache.read(key)).result).toBeUndefined();
      }
      expect((await cache.read(keyOf("bob"))).result).toBeDefined();
      expect(published.at(-1)).toEqual(user === "al" ? ["al", "alice"] : ["alice"]);
      expect((await flush(user)).removedKeys).toEqual([]);
    },
  );

  test.each([
    ["by its account", "alice", "alice"],
    ["by another name, whose account is known to the backend only", "al", "alice"],
  ])("a login in progress during a flush stores nothing: %s", async (_what, username, account) => {
    const read = await cache.read(keyOf(username));
    await flush(account);
    const write = { result: { digest, decision: okOf(account), backendName: backend }, read, ttlMs };
    expect(await cache.write(keyOf(username), write)).toBe(false);
    expect((await cache.read(keyOf(username))).result).toBeUndefined();
    expect(await login(keyOf(username), account)).toBe(true);
    expect((await cache.read(keyOf(username))).result).toBeDefined();
  });

  test("no login that races with a flush leaves a result from before it", async () => {
    for (let round = 0; round < 20; round += 1) {
      const key = keyOf(`u${round}`);
      const read = await cache.read(key);
      const write = cache.write(key, {
        result: { digest, decision: okOf(`u${round}`), backendName: backend },
        read,
        ttlMs,
      });
      await Promise.all([flush(`u${round}`), write]);
      expect((await cache.read(key)).result).toBeUndefined();
    }
  });

  test("a result sealed before a change of the secret can be read after it, and no longer when the old secret is removed", async () => {
    await login(keyOf("alice"), "alice");
    const fresh = new Secret("second-encryption-secret");
    cache = createRedisResultCache(redis, keyPrefix, createKeyRing([fresh, secret], "result-cache"));
    expect((await cache.read(keyOf("alice"))).result).toBeDefined();
    cache = createRedisResultCache(redis, keyPrefix, createKeyRing([fresh], "result-cache"));
    expect((await cache.read(keyOf("alice"))).result).toBeUndefined();
  });

  test("a result copied to another key is a miss there", async () => {
    await login(keyOf("alice"), "alice");
    await login(keyOf("mallory"), "mallory");
    const [from, to] = await Promise.all(
      ["alice", "mallory"].map(async (account) => {
        const keys = (await flushable(account)).find((key) => key.includes(":result:"));
        return keys ?? "";
      }),
    );
    await redis.set(to ?? "", (await redis.get(from ?? "")) ?? "", "KEEPTTL");
    expect((await cache.read(keyOf("mallory"))).result).toBeUndefined();
  });

  test("a flush of an unknown user removes nothing and still publishes an event", async () => {
    expect((await flush("nobody")).removedKeys).toEqual([]);
    expect(published).toEqual([["nobody"]]);
  });

  test("without Redis a flush fails, and still publishes an event", async () => {
    redis.disconnect();
    try {
      await expect(flush("alice")).rejects.toThrow(/Connection is closed|enableOfflineQueue/);
      expect(published).toEqual([["alice"]]);
    } finally {
      redis = await testRedis(server.port);
    }
  });
});
