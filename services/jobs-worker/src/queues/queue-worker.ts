import { jobsPrefix, type RedisClient } from "@postern/shared/platform/redis";
import { type Job, WaitingError, Worker } from "bullmq";

/** A job with what identifies it in logs. */
export type NamedJob = Pick<Job, "id" | "name">;

interface QueueWorkerOptions {
  /**
   * A client of the role `queue`, for this purpose only: it retries commands without limit, and its duplicate runs blocking commands.
   */
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly queue: string;
  readonly concurrency: number;
  /** A dead worker is detected after the sum of these two at most. */
  readonly lockMs: number;
  readonly stalledCheckMs: number;
  readonly run: (job: Job) => Promise<unknown>;
  /** Receives the results of jobs. */
  readonly events: {
    ended(job: Job, result: "done" | "failed"): void;
    /** The job failed and will be retried. */
    retried(job: Job, error: Error): void;
    /** Its worker died, or did not renew its lock: the job was queued again. */
    stalled(jobId: string): void;
    /** An error of the connection or of BullMQ. */
    error(error: unknown): void;
  };
}

/** A job whose workers die this often is assumed to kill them. */
const maxStalls = 10;
const retryAfterErrorMs = 1000;

/**
 * Processes the jobs of a queue. `close` stops taking jobs, and resolves when running jobs have ended and Redis has their results. Without Redis,
 * it does not wait for it: another worker repeats those jobs.
 */
export function startQueueWorker(options: QueueWorkerOptions): { close(): Promise<void> } {
  const { redis, keyPrefix, queue, concurrency, lockMs, stalledCheckMs, run, events } = options;
  let isClosing = false;
  const running = new Set<Promise<unknown>>();
  const take = async (job: Job, token?: string): Promise<unknown> => {
    if (!isClosing) {
      const result = run(job);
      running.add(result);
      return result.finally(() => running.delete(result));
    }
    // BullMQ had fetched the job when the worker began to close: another worker takes it.
    await job.moveToWait(token);
    throw new WaitingError();
  };
  const worker = new Worker(queue, take, {
    connection: redis,
    prefix: jobsPrefix(keyPrefix),
    concurrency,
    lockDuration: lockMs,
    stalledInterval: stalledCheckMs,
    maxStalledCount: maxStalls,
    runRetryDelay: retryAfterErrorMs,
    // Asks with INFO, which a Redis user may not be permitted. Without the answer, BullMQ would try again without any pause.
    skipVersionCheck: true,
  });
  worker.on("completed", (job) => events.ended(job, "done"));
  worker.on("failed", (job, error) => {
    if (job === undefined) return;
    if (job.finishedOn === undefined) events.retried(job, error);
    else events.ended(job, "failed");
  });
  worker.on("stalled", (jobId) => events.stalled(jobId));
  const refusals = pauseAfterRefusals(worker, (error) => events.error(error));
  return {
    close: async () => {
      isClosing = true;
      refusals.stop();
      if (redis.status !== "ready") {
        void worker.pause(true);
        await Promise.allSettled(running);
      }
      await worker.close(redis.status !== "ready");
    },
  };
}

const maxPauseMs = 60_000;

/** What a worker of BullMQ offers. */
interface Pausable {
  on(event: "active" | "drained", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  pause(doNotWaitActive: boolean): unknown;
  resume(): unknown;
}

/**
 * BullMQ retries immediately when Redis refuses a command, for example because its user has no right to run it. Each refusal in a row doubles
 * the pause, and only the first is reported.
 */
export function pauseAfterRefusals(worker: Pausable, report: (error: unknown) => void): { stop(): void } {
  let inARow = 0;
  let timer: NodeJS.Timeout | undefined;
  const resume = (): void => {
    timer = undefined;
    void worker.resume();
  };
  const reset = (): void => {
    inARow = 0;
  };
  worker.on("active", reset);
  worker.on("drained", reset);
  worker.on("error", (error) => {
    if (error.name !== "ReplyError") return report(error);
    if (timer !== undefined) return;
    if (inARow === 0) report(error);
    void worker.pause(true);
    timer = setTimeout(resume, Math.min(maxPauseMs, retryAfterErrorMs * 2 ** inARow));
    inARow += 1;
  });
  return { stop: () => clearTimeout(timer) };
}
