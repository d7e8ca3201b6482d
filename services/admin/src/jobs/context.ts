import type { Config } from "@postern/shared/platform/config";
import type { Logger } from "@postern/shared/platform/logging";
import type { RedisClient } from "@postern/shared/platform/redis";
import { createJobQueue } from "./job-queue-redis.ts";
import { createJobStatus } from "./job-status-redis.ts";

/** Added to Redis's command timeout, for commands that have not been sent yet. */
const marginMs = 500;

/** The queue of flush jobs and the records of its jobs; `redis` is of the role `queue`. */
export function createJobs(
  { runtime, storage }: Config,
  { redis, logger }: { readonly redis: RedisClient; readonly logger: Logger },
) {
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
  return { queue, read: createJobStatus(redis, keyPrefix, retentionMs) };
}
