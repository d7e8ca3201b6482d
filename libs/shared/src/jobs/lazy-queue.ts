import { Queue } from "bullmq";
import type { RedisClient } from "../redis/client.ts";
import { jobsPrefix } from "../redis/keys/jobs.ts";

export interface LazyQueueDeps {
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly onError: (error: unknown) => void;
}

/** BullMQ's queue; one that could not get ready is thrown away, and the next call makes another. */
export function createLazyQueue(name: string, { redis, prefix, onError }: LazyQueueDeps): () => Promise<Queue> {
  let current: Queue | undefined;
  return async () => {
    if (current === undefined) {
      current = new Queue(name, { connection: redis, prefix: jobsPrefix(prefix) });
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

export async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
