import { randomUUID } from "node:crypto";
import { createLazyQueue, type FlushJob } from "@postern/shared/domain/jobs";
import { within } from "@postern/shared/platform/concurrency";
import { AppError } from "@postern/shared/platform/errors";
import { flushQueue, jobKey, type RedisClient } from "@postern/shared/platform/redis";

/** A flush is retried for about two minutes while a dependency is unavailable. */
const attempts = 9;
const firstBackoffMs = 500;
/** Maximum number of records of ended jobs, whatever their age. */
const maxRecords = 100_000;

export function createJobQueue(deps: {
  /** The client of the role `queue`. */
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  /** How long a job's record is kept after the job has ended. */
  readonly retentionMs: number;
  readonly maxQueued: number;
  readonly timeoutMs: number;
  readonly onError: (error: unknown) => void;
}) {
  const { redis, keyPrefix, retentionMs, maxQueued, timeoutMs } = deps;
  const queueOf = createLazyQueue(flushQueue, deps);
  const kept = { age: Math.ceil(retentionMs / 1000), count: maxRecords };
  const add = async ({ type, request }: FlushJob): Promise<string> => {
    const queue = await queueOf();
    if ((await redis.llen(jobKey.build(keyPrefix, "wait"))) >= maxQueued) {
      throw new AppError("OVERLOADED", { detail: `${maxQueued} jobs are queued` });
    }
    const jobId = randomUUID();
    await queue.add(type, request, {
      jobId,
      attempts,
      backoff: { type: "exponential", delay: firstBackoffMs },
      removeOnComplete: kept,
      removeOnFail: kept,
      stackTraceLimit: 0,
    });
    return jobId;
  };
  return {
    /**
     * Resolves with the job's id once Redis has stored it.
     *
     * @throws AppError REDIS_UNAVAILABLE within `timeoutMs`: the job may run nevertheless. OVERLOADED: too many jobs are queued.
     */
    enqueue: async (job: FlushJob): Promise<string> => {
      try {
        return await within(add(job), timeoutMs);
      } catch (cause) {
        if (cause instanceof AppError) throw cause;
        throw new AppError("REDIS_UNAVAILABLE", { detail: "the job could not be stored", cause });
      }
    },
  };
}
