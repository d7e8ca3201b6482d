import { jobsPrefix, type RedisClient } from "@postern/shared/platform/redis";
import { Worker } from "bullmq";

/** Takes the next job of a queue as a worker does that dies then: its lock expires at once. */
export async function takeAndDie(connection: RedisClient, keyPrefix: string, queue: string): Promise<void> {
  const options = { connection, prefix: jobsPrefix(keyPrefix), autorun: false, lockDuration: 1 };
  const worker = new Worker(queue, null, { ...options, skipVersionCheck: true });
  await worker.getNextJob("dead");
  await worker.close(true);
}
