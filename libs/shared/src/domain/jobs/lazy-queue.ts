import type { Queue } from "bullmq";
import type { RedisClient } from "../../platform/redis/client.ts";
import { jobsPrefix } from "../../platform/redis/keys/jobs.ts";

/**
 * BullMQ's queue. One that failed to connect is discarded, and the next call creates another. The library, 1.4 MB of code, is loaded by
 * the first call, because most replicas never queue anything.
 */
export function createLazyQueue(
  name: string,
  {
    redis,
    keyPrefix,
    onError,
  }: { readonly redis: RedisClient; readonly keyPrefix: string; readonly onError: (error: unknown) => void },
): () => Promise<Queue> {
  let current: Queue | undefined;
  return async () => {
    const { Queue: BullQueue } = await import("bullmq");
    if (current === undefined) {
      // The check asks with INFO, which a Redis user may not be permitted.
      current = new BullQueue(name, { connection: redis, prefix: jobsPrefix(keyPrefix), skipVersionCheck: true });
      current.on("error", onError);
    }
    const queue = current;
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      if (current === queue) current = undefined;
      throw error;
    }
  };
}
