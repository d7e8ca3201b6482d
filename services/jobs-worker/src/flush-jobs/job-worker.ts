import { parseFlushJob } from "@postern/shared/domain/jobs";
import { fromUnknown, logFields } from "@postern/shared/platform/errors";
import type { Logger } from "@postern/shared/platform/logging";
import { flushQueue, type RedisClient } from "@postern/shared/platform/redis";
import { type Job, UnrecoverableError } from "bullmq";
import type { WorkerMetrics } from "../metrics.ts";
import { type NamedJob, startQueueWorker } from "../queues/queue-worker.ts";
import { type FlushJobDeps, runFlushJob } from "./run-flush-job.ts";

export type JobEvents = ReturnType<typeof createJobEvents>;

export function createJobEvents(logger: Logger, workerMetrics: WorkerMetrics) {
  return {
    ended: ({ id, name: type }: NamedJob, result: "done" | "failed", seconds: number): void => {
      workerMetrics.ended(type, result, seconds);
      if (result === "failed") logger.error({ jobId: id, type }, "job failed permanently");
      else logger.info({ jobId: id, type, seconds }, "job done");
    },
    retried: ({ id, name: type }: NamedJob, error: unknown): void => {
      workerMetrics.retried(type);
      logger.warn({ jobId: id, type, ...logFields(fromUnknown(error)) }, "job failed and will be retried");
    },
    stalled: (jobId: string): void => {
      workerMetrics.stalled();
      logger.warn({ jobId }, "job was abandoned by its worker and is queued again");
    },
    error: (err: unknown): void => logger.warn({ err }, "an error in the job queue; the worker continues"),
  };
}

interface JobWorkerDeps extends FlushJobDeps {
  /** A client of the role `queue`, for this purpose only. */
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly concurrency: number;
  readonly events: JobEvents;
}

const lockMs = 5000;
const stalledCheckMs = 2000;
/** Number of attempts before a flush continues without the backends. */
const attemptsWithBackends = 3;

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

/** `close` stops taking jobs, and resolves when running jobs have ended. */
export function createJobWorker(deps: JobWorkerDeps) {
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
    events.ended(job, result, (finishedOn - processedOn) / 1000);
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
    events: { ...events, ended, retried: (job, error) => events.retried(job, error.cause ?? error) },
  });
}
