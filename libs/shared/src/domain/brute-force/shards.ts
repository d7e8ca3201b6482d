import { crc32 } from "node:zlib";
import type { RedisClient } from "../../platform/redis/client.ts";

/** Indexes are split into this many keys, so that a cluster's nodes share them and none grows without limit. */
const shardCount = 16;

export const shards: readonly string[] = Array.from({ length: shardCount }, (_, index) => index.toString(16));

export function shardOf(member: string): string {
  return (crc32(member) % shardCount).toString(16);
}

/** Number of members of all shards that have at least this score. */
export async function countMembers(
  redis: RedisClient,
  keyOf: (shard: string) => string,
  leastScore: number,
): Promise<number> {
  const counts = await Promise.all(shards.map((shard) => redis.zcount(keyOf(shard), leastScore, "+inf")));
  return counts.reduce((sum, count) => sum + count, 0);
}
