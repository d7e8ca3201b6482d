import { Secret } from "@postern/shared/platform/crypto";
import { createRedisClient, type RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";

const settingsOf = (port: number, user: string | undefined) =>
  ({
    topology: { kind: "standalone", address: { host: "127.0.0.1", port } },
    database: 0,
    username: user,
    password: user === undefined ? undefined : new Secret(user),
    tls: undefined,
    connectTimeoutMs: 10_000,
    commandTimeoutMs: 10_000,
    maxRetries: 1,
    connectionName: "test",
  }) as const;

/** A connected client of a test's Redis. The password of a Redis user is its name. */
export async function testRedis(port: number, user?: string): Promise<RedisClient> {
  const client = createRedisClient(settingsOf(port, user), () => undefined);
  await poll("the test's Redis client", () => client.status === "ready");
  return client;
}

/** A client for blocking commands, as queue workers use. */
export function blockingRedis(port: number): RedisClient {
  return createRedisClient({ ...settingsOf(port, undefined), isBlocking: true }, () => undefined);
}

async function valueOf(redis: RedisClient, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case "string":
      return redis.get(key);
    case "hash":
      return redis.hgetall(key);
    case "set":
      return redis.smembers(key);
    case "zset":
      return redis.zrange(key, "0", "-1");
    case "list":
      return redis.lrange(key, 0, -1);
    case "stream":
      return redis.xrange(key, "-", "+");
    default:
      return null;
  }
}

/** All keys and values as text. */
export async function redisContent(redis: RedisClient): Promise<string> {
  const lines: string[] = [];
  for (const key of await redis.keys("*")) lines.push(`${key} ${JSON.stringify(await valueOf(redis, key))}`);
  return lines.join("\n");
}
