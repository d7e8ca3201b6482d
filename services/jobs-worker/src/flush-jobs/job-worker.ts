import { parseFlushJob } from "@postern/shared/domain/jobs";
import { fromUnknown } from "@postern/shared/platform/errors";
import { flushQueue, type RedisClient } from "@postern/shared/platform/redis";
import { type Job, UnrecoverableError } from "bullmq";
import { startQueueWorker } from "../queues/queue-worker.ts";
import { type FlushJobDeps, runFlushJob } from "./run-flush-job.ts";

/** Receives the results of jobs. */
export interface JobEvents {
  ended(job: { readonly id: string; readonly type: string }, result: "done" | "failed", seconds: number): void;
  /** The job failed and will be retried. */
  retried(job: { readonly id: string; readonly type: string }, error: unknown): void;
  /** Its worker died, or did not renew its lock: the job was queued again. */
  stalled(jobId: string): void;
  /** An error of the connection or of BullMQ. */
  error(error: unknown): void;
}

export interface JobWorkerDeps extends FlushJobDeps {
  /** Of the role `queue`, for this purpose only. */
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly concurrency: number;
  readonly events: JobEvents;
}

export interface JobWorker {
  /** Stops taking jobs, and resolves when running jobs have ended. */
  close(): Promise<void>;
}

const lockMs = 5000;
const stalledCheckMs = 2000;
/** Number of attempts before a flush continues without the backends. */
const attemptsWithBackends = 3;

function facts({ id = "", name }: Job): { readonly id: string; readonly type: string } {
  return { id, type: name };
}

async function run(job: Job, deps: FlushJobDeps): Promise<number> {
  const parsed = parseFlushJob(job.name, job.data);
  if (parsed === undefined || job.id === undefined) throw new UnrecoverableError("the job cannot be read");
  const mayBeIncomplete = job.attemptsMade + 1 >= attemptsWithBackends;
  return runFlushJob(parsed, { jobId: job.id, mayBeIncomplete }, deps);
}

/** The error that operators see in the job's record; the cause is logged. */
class JobFailure extends Error {
  constructor(cause: unknown) {
    super(fromUnknown(cause).publicMessage, { cause });
    this.name = "JobFailure";
  }
}

export function createJobWorker(deps: JobWorkerDeps): JobWorker {
  const { redis, keyPrefix, concurrency, events, foundKeys } = deps;
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
    keyPrefix,
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
