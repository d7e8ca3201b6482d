import type { RedisClient } from "../../platform/redis/client.ts";

/**
 * Removes keys one by one, because they may be in several Cluster slots and each answer says whether its key existed.
 *
 * @returns the keys that existed
 */
export async function removeKeys(redis: RedisClient, keys: readonly string[]): Promise<readonly string[]> {
  const removed = await Promise.all(keys.map((key) => redis.del(key)));
  return keys.filter((_key, index) => removed[index] === 1);
}
