import { randomUUID } from "node:crypto";
import { Queue } from "bullmq";
import { AppError } from "../errors/index.ts";
import type { RedisClient } from "../redis/client.ts";
import { flushQueue, jobKey, jobsPrefix } from "../redis/keys/jobs.ts";
import type { FlushJob } from "./flush-job.ts";

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

/** BullMQ's queue; one that could not get ready is thrown away, and the next call makes another. */
function createLazyQueue({ redis, prefix, onError }: JobQueueDeps): () => Promise<Queue> {
  let current: Queue | undefined;
  return async () => {
    if (current === undefined) {
      current = new Queue(flushQueue, { connection: redis, prefix: jobsPrefix(prefix) });
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

async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function createJobQueue(deps: JobQueueDeps): JobQueue {
  const { redis, prefix, retentionMs, maxQueued, timeoutMs } = deps;
  const queueOf = createLazyQueue(deps);
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
