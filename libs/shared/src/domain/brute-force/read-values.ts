import type { RedisClient } from "../../platform/redis/client.ts";

type Values = readonly (string | null)[];

/** Redis does nothing else while it answers a command. */
const keysAtATime = 1000;

async function readAll(redis: RedisClient, keys: readonly string[]): Promise<Values> {
  const values: (string | null)[] = [];
  for (let first = 0; first < keys.length; first += keysAtATime) {
    values.push(...(await redis.mget(keys.slice(first, first + keysAtATime))));
  }
  return values;
}

/**
 * Reads the values of each group of keys; the keys of one group share a hash tag. A command costs more than a key, so all groups share one
 * command, or few. On a cluster, groups are in many slots, and each needs its own command.
 */
export async function readValues(
  redis: RedisClient,
  groups: readonly (readonly string[])[],
): Promise<readonly Values[]> {
  if (redis.isCluster) {
    return Promise.all(groups.map(async (keys) => (keys.length === 0 ? [] : redis.mget([...keys]))));
  }
  const values = await readAll(redis, groups.flat());
  let end = 0;
  return groups.map(({ length }) => {
    end += length;
    return values.slice(end - length, end);
  });
}
