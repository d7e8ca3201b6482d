import { type Job, UnrecoverableError } from "bullmq";
import { fromUnknown } from "../errors/index.ts";
import type { RedisClient } from "../redis/client.ts";
import { flushQueue } from "../redis/keys/jobs.ts";
import { parseFlushJob } from "./flush-job.ts";
import { startQueueWorker } from "./queue-worker.ts";
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
  /** Of the role `queue`, and used for nothing else. */
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly concurrency: number;
  readonly events: JobEvents;
}

export interface JobWorker {
  /** Takes no further job, and resolves when those at work have ended. */
  close(): Promise<void>;
}

const lockMs = 5000;
const stalledCheckMs = 2000;
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
  const ended = (job: Job, result: "done" | "failed"): void => {
    const { finishedOn = 0, processedOn = finishedOn } = job;
    events.ended(facts(job), result, (finishedOn - processedOn) / 1000);
    void foundKeys.forget(job.id ?? "").catch(() => undefined);
  };
  return startQueueWorker({
    redis,
    prefix,
    queue: flushQueue,
    concurrency,
    lockMs,
    stalledCheckMs,
    run: processJob,
    events: {
      ended,
      retried: (job, error) => events.retried(facts(job), error.cause ?? error),
      stalled: (jobId) => events.stalled(jobId),
      error: (error) => events.error(error),
    },
  });
}
