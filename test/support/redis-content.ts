import { createRedisClient, type RedisClient } from "@postern/shared/redis";
import { poll } from "@postern/shared/testing";

/** A client of a test's Redis, connected. */
export async function testRedis(port: number): Promise<RedisClient> {
  const settings = {
    topology: { kind: "standalone", address: { host: "127.0.0.1", port } },
    database: 0,
    username: undefined,
    password: undefined,
    tls: undefined,
    connectTimeoutMs: 1000,
    commandTimeoutMs: 1000,
    maxRetries: 1,
    connectionName: "test",
  } as const;
  const client = createRedisClient(settings, () => undefined);
  await poll("the test's Redis client", () => client.status === "ready");
  return client;
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
    default:
      return null;
  }
}

/** Every key and value, as one text. */
export async function redisContent(redis: RedisClient): Promise<string> {
  const lines: string[] = [];
  for (const key of await redis.keys("*")) lines.push(`${key} ${JSON.stringify(await valueOf(redis, key))}`);
  return lines.join("\n");
}
