import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import { oidcSubjectsKey, type RedisClient } from "@postern/shared/platform/redis";
import { type RedisServer, spawnRedis } from "@postern/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testRedis } from "../../../../../test/support/redis-content.ts";
import { digestOfId } from "../storage/models.ts";
import { createOidcAccounts } from "./accounts-redis.ts";

const carol = { accountId: "carol", account: "carol@example.test", attributes: {} };
const key = oidcSubjectsKey.build("postern:", digestOfId(carol.account));
const ttlSeconds = 3600;

let server: RedisServer;
let redis: RedisClient;
beforeEach(async () => {
  server = await spawnRedis();
  redis = await testRedis(server.port);
});
afterEach(async () => {
  redis.disconnect();
  await server[Symbol.asyncDispose]();
});

function accountsIn(client: RedisClient) {
  const keys = createKeyRing([new Secret("test-encryption-secret")], "oidc");
  return createOidcAccounts(client, "postern:", keys, () => ttlSeconds);
}

test("the subjects of an account are stored together with their expiry or not at all", async () => {
  await redis.acl("SETUSER", "limited", "on", ">limited", "~*", "+@all", "-expire");
  const limited = await testRedis(server.port, "limited");
  await expect(accountsIn(limited).save(carol)).rejects.toMatchObject({ code: "REDIS_UNAVAILABLE" });
  limited.disconnect();
  expect(await redis.keys("*")).toEqual([]);
  await accountsIn(redis).save(carol);
  expect(await redis.ttl(key)).toBeGreaterThan(0);
  expect(await accountsIn(redis).subjectsOf(carol.account)).toEqual(["carol"]);
});

test("a token sets the expiry of subjects that an earlier version stored without one, and never shortens an expiry", async () => {
  const accounts = accountsIn(redis);
  await accounts.save(carol);
  await redis.persist(key);
  await accounts.keep("carol");
  expect(await redis.ttl(key)).toBeGreaterThan(0);
  await redis.expire(key, 2 * ttlSeconds);
  await accounts.keep("carol");
  expect(await redis.ttl(key)).toBeGreaterThan(ttlSeconds);
});
