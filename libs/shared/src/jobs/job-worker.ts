import { type Job, UnrecoverableError, Worker } from "bullmq";
import { fromUnknown } from "../errors/index.ts";
import type { RedisClient } from "../redis/client.ts";
import { flushQueue, jobKey, jobsPrefix } from "../redis/keys/jobs.ts";
import { parseFlushJob } from "./flush-job.ts";
import { type FlushJobDeps, runFlushJob } from "./run-flush-job.ts";

/** Told what became of jobs. */
export interface JobEvents {
  ended(job: { readonly id: string; readonly type: string }, result: "done" | "failed", seconds: number): void;
  /** It will be tried again. */
  retried(job: { readonly id: string; readonly type: string }, error: unknown): void;
  /** Its worker is gone, or did not renew its lock: it was queued again. */
  stalled(jobId: string): void;
  /** Of the connection, or BullMQ. */
  error(error: unknown): void;
}

export interface JobWorkerDeps extends FlushJobDeps {
  /** Of the role `queue`, and used for nothing else: it repeats commands for ever, and a copy of it blocks. */
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly concurrency: number;
  readonly events: JobEvents;
}

export interface JobWorker {
  /** Takes no further job, and resolves when those at work have ended. */
  close(): Promise<void>;
}

/** A worker that is gone is noticed after these two together, at the latest. */
const lockMs = 5000;
const stalledCheckMs = 2000;
/** A job whose workers die so often is what kills them. */
const maxStalls = 10;
const retryAfterErrorMs = 1000;
/** Attempts before a flush does without the directories. */
const attemptsWithDirectories = 3;

function facts({ id = "", name }: Job): { readonly id: string; readonly type: string } {
  return { id, type: name };
}

async function run(job: Job, deps: FlushJobDeps): Promise<number> {
  const parsed = parseFlushJob(job.name, job.data);
  if (parsed === undefined || job.id === undefined) throw new UnrecoverableError("the job cannot be read");
  const mayBeIncomplete = job.attemptsMade + 1 >= attemptsWithDirectories;
  return runFlushJob(parsed, { jobId: job.id, mayBeIncomplete }, deps);
}

/** What operators read as the job's error; the cause goes to the log. */
class JobFailure extends Error {
  constructor(cause: unknown) {
    super(fromUnknown(cause).publicMessage, { cause });
    this.name = "JobFailure";
  }
}

export function createJobWorker(deps: JobWorkerDeps): JobWorker {
  const { redis, prefix, concurrency, events, foundKeys } = deps;
  const processJob = async (job: Job): Promise<number> => {
    try {
      return await run(job, deps);
    } catch (error) {
      throw error instanceof UnrecoverableError ? error : new JobFailure(error);
    }
  };
  const worker = new Worker(flushQueue, processJob, {
    connection: redis,
    prefix: jobsPrefix(prefix),
    concurrency,
    lockDuration: lockMs,
    stalledInterval: stalledCheckMs,
    maxStalledCount: maxStalls,
    runRetryDelay: retryAfterErrorMs,
  });
  const ended = (job: Job, result: "done" | "failed"): void => {
    const { finishedOn = 0, processedOn = finishedOn } = job;
    events.ended(facts(job), result, (finishedOn - processedOn) / 1000);
    void foundKeys.forget(job.id ?? "").catch(() => undefined);
  };
  worker.on("completed", (job) => ended(job, "done"));
  worker.on("failed", (job, error) => {
    if (job === undefined) return;
    if (job.finishedOn === undefined) events.retried(facts(job), error.cause ?? error);
    else ended(job, "failed");
  });
  worker.on("stalled", (jobId) => events.stalled(jobId));
  worker.on("error", (error) => events.error(error));
  return { close: () => worker.close() };
}

export interface JobCounts {
  readonly waiting: number;
  readonly active: number;
  /** Tried, and waiting for their next attempt. */
  readonly delayed: number;
}

export async function countJobs(redis: RedisClient, prefix: string): Promise<JobCounts> {
  const [waiting, active, delayed] = await Promise.all([
    redis.llen(jobKey.build(prefix, "wait")),
    redis.llen(jobKey.build(prefix, "active")),
    redis.zcard(jobKey.build(prefix, "delayed")),
  ]);
  return { waiting, active, delayed };
}
