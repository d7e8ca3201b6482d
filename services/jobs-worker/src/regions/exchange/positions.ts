import { type RedisClient, regionPositionsKey, together } from "@postern/shared/platform/redis";

const fieldOf = (region: string, feed: string): string => `${region}:${feed}`;

export type Positions = ReturnType<typeof createPositions>;

/** How far this region has read what the others tell. All methods reject without Redis. */
export function createPositions(redis: RedisClient, keyPrefix: string) {
  const key = regionPositionsKey.build(keyPrefix);
  return {
    read: async (region: string, feed: string): Promise<string | undefined> =>
      (await redis.hget(key, fieldOf(region, feed))) ?? undefined,
    write: (region: string, feed: string, position: string): Promise<void> =>
      together(redis.multi().hset(key, fieldOf(region, feed), position).expire(key, regionPositionsKey.ttlSeconds)),
    /** The next reading begins with the whole state of the region. */
    remove: async (region: string, feeds: readonly string[]): Promise<void> => {
      await redis.hdel(key, ...feeds.map((feed) => fieldOf(region, feed)));
    },
  };
}
