import type { Config } from "../../config/index.ts";
import { createJobQueue, createJobStatus, type JobQueue, type ReadJob } from "../../jobs/index.ts";
import type { Logger } from "../../logging/logger.ts";
import type { RedisClient } from "../../redis/client.ts";

/** Beyond the time that Redis has for a command, for those that are not sent yet. */
const marginMs = 500;

/** Where jobs are put and asked for; `redis` is of the role `queue`. */
export function jobQueueFromConfig(
  { runtime, storage }: Config,
  { redis, logger }: { readonly redis: RedisClient; readonly logger: Logger },
): { readonly queue: JobQueue; readonly read: ReadJob } {
  const { prefix, write_timeout: writeTimeoutMs } = storage.redis;
  const { retention: retentionMs, max_queued: maxQueued } = runtime.jobs;
  const queue = createJobQueue({
    redis,
    prefix,
    retentionMs,
    maxQueued,
    timeoutMs: writeTimeoutMs + marginMs,
    onError: (err) => logger.debug({ err }, "the queue of jobs told an error"),
  });
  return { queue, read: createJobStatus({ redis, prefix, retentionMs }) };
}
