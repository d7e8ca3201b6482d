import { type Job, Worker } from "bullmq";
import type { RedisClient } from "../redis/client.ts";
import { jobsPrefix } from "../redis/keys/jobs.ts";

/** Told what became of jobs of a queue. */
export interface QueueEvents {
  ended(job: Job, result: "done" | "failed"): void;
  /** It will be tried again. */
  retried(job: Job, error: Error): void;
  /** Its worker is gone, or did not renew its lock: it was queued again. */
  stalled(jobId: string): void;
  /** Of the connection, or BullMQ. */
  error(error: unknown): void;
}

export interface QueueWorkerOptions {
  /** Of the role `queue`, and used for nothing else: it repeats commands for ever, and a copy of it blocks. */
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly queue: string;
  readonly concurrency: number;
  /** A worker that is gone is noticed after these two together, at the latest. */
  readonly lockMs: number;
  readonly stalledCheckMs: number;
  readonly run: (job: Job) => Promise<unknown>;
  readonly events: QueueEvents;
}

/** A job whose workers die so often is what kills them. */
const maxStalls = 10;
const retryAfterErrorMs = 1000;

/** Takes jobs of a queue. `close` takes no further one, and resolves when those at work have ended. */
export function startQueueWorker(options: QueueWorkerOptions): { close(): Promise<void> } {
  const { redis, prefix, queue, concurrency, lockMs, stalledCheckMs, run, events } = options;
  const worker = new Worker(queue, run, {
    connection: redis,
    prefix: jobsPrefix(prefix),
    concurrency,
    lockDuration: lockMs,
    stalledInterval: stalledCheckMs,
    maxStalledCount: maxStalls,
    runRetryDelay: retryAfterErrorMs,
  });
  worker.on("completed", (job) => events.ended(job, "done"));
  worker.on("failed", (job, error) => {
    if (job === undefined) return;
    if (job.finishedOn === undefined) events.retried(job, error);
    else events.ended(job, "failed");
  });
  worker.on("stalled", (jobId) => events.stalled(jobId));
  worker.on("error", (error) => events.error(error));
  return { close: () => worker.close() };
}
