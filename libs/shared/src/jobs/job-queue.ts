import { randomUUID } from "node:crypto";
import { AppError } from "../errors/index.ts";
import type { RedisClient } from "../redis/client.ts";
import { flushQueue, jobKey } from "../redis/keys/jobs.ts";
import type { FlushJob } from "./flush-job.ts";
import { createLazyQueue, within } from "./lazy-queue.ts";

export interface JobQueueDeps {
  /** Of the role `queue`. */
  readonly redis: RedisClient;
  readonly prefix: string;
  /** How long the record of a job is kept after its end. */
  readonly retentionMs: number;
  readonly maxQueued: number;
  readonly timeoutMs: number;
  readonly onError: (error: unknown) => void;
}

export interface JobQueue {
  /**
   * Resolves with the job's id once Redis has it.
   *
   * @throws AppError REDIS_UNAVAILABLE within `timeoutMs`: the job may run all the same. OVERLOADED: too many wait.
   */
  enqueue(job: FlushJob): Promise<string>;
}

/** A flush is tried again for some two minutes while something that it needs is away. */
const attempts = 9;
const firstBackoffMs = 500;
/** Records of ended jobs, whatever their age. */
const maxRecords = 100_000;

export function createJobQueue(deps: JobQueueDeps): JobQueue {
  const { redis, prefix, retentionMs, maxQueued, timeoutMs } = deps;
  const queueOf = createLazyQueue(flushQueue, deps);
  const kept = { age: Math.ceil(retentionMs / 1000), count: maxRecords };
  const add = async ({ type, request }: FlushJob): Promise<string> => {
    const queue = await queueOf();
    if ((await redis.llen(jobKey.build(prefix, "wait"))) >= maxQueued) {
      throw new AppError("OVERLOADED", { detail: `${maxQueued} jobs wait` });
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
    enqueue: async (job) => {
      try {
        return await within(timeoutMs, add(job));
      } catch (cause) {
        if (cause instanceof AppError) throw cause;
        throw new AppError("REDIS_UNAVAILABLE", { detail: "the job could not be kept", cause });
      }
    },
  };
}
