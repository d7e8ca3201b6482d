import { Queue } from "bullmq";
import type { RedisClient } from "../../platform/redis/client.ts";
import { jobsPrefix } from "../../platform/redis/keys/jobs.ts";

export interface LazyQueueDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly onError: (error: unknown) => void;
}

/** BullMQ's queue. One that failed to connect is discarded, and the next call creates another. */
export function createLazyQueue(name: string, { redis, keyPrefix, onError }: LazyQueueDeps): () => Promise<Queue> {
  let current: Queue | undefined;
  return async () => {
    if (current === undefined) {
      current = new Queue(name, { connection: redis, prefix: jobsPrefix(keyPrefix) });
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
