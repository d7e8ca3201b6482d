import type { RedisClient } from "../../platform/redis/client.ts";

/** The rest is for bans, sessions and tokens, which share this server. */
const shareOfMemory = 0.75;
const askMs = 60_000;

function isAlmostFull(report: string): boolean {
  const limit = Number(/^maxmemory:(\d+)/mu.exec(report)?.[1] ?? 0);
  const used = Number(/^used_memory:(\d+)/mu.exec(report)?.[1] ?? 0);
  return limit > 0 && used > shareOfMemory * limit;
}

/** Whether Redis, or one primary of a cluster, uses too much of its memory. Asked once a minute. */
export function createMemoryWatch(redis: RedisClient): () => Promise<boolean> {
  let askedMs = Number.NEGATIVE_INFINITY;
  let isShort = false;
  const ask = async (): Promise<boolean> => {
    const servers = "nodes" in redis ? redis.nodes("master") : [redis];
    const reports = await Promise.all(servers.map((server) => server.info("memory")));
    return reports.some(isAlmostFull);
  };
  return async () => {
    if (performance.now() - askedMs < askMs) return isShort;
    askedMs = performance.now();
    // Without the right to ask, memory is taken to suffice.
    isShort = await ask().catch(() => false);
    return isShort;
  };
}
