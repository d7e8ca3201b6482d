import { crc32 } from "node:zlib";

/** Indexes are split into this many keys, so that a cluster's nodes share them and none grows without limit. */
const shardCount = 16;

export const shards: readonly string[] = Array.from({ length: shardCount }, (_, index) => index.toString(16));

export function shardOf(member: string): string {
  return (crc32(member) % shardCount).toString(16);
}
