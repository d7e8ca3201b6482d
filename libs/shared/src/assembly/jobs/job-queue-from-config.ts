import { createJobQueue, createJobStatus, type JobQueue, type ReadJob } from "../../domain/jobs/index.ts";
import type { Config } from "../../platform/config/index.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { RedisClient } from "../../platform/redis/client.ts";

/** Added to Redis's command timeout, for commands that have not been sent yet. */
const marginMs = 500;

/** The queue of flush jobs; `redis` is of the role `queue`. */
export function jobQueueFromConfig(
  { runtime, storage }: Config,
  { redis, logger }: { readonly redis: RedisClient; readonly logger: Logger },
): { readonly queue: JobQueue; readonly read: ReadJob } {
  const { prefix: keyPrefix, write_timeout: writeTimeoutMs } = storage.redis;
  const { retention: retentionMs, max_queued: maxQueued } = runtime.jobs;
  const queue = createJobQueue({
    redis,
    keyPrefix,
    retentionMs,
    maxQueued,
    timeoutMs: writeTimeoutMs + marginMs,
    onError: (err) => logger.debug({ err }, "job queue error"),
  });
  return { queue, read: createJobStatus({ redis, keyPrefix, retentionMs }) };
}
