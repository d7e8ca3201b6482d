import type { JobRecord } from "@postern/shared/contracts";
import type { FlushJob } from "@postern/shared/domain/jobs";

export interface JobQueue {
  /**
   * Resolves with the job's id once Redis has stored it.
   *
   * @throws AppError REDIS_UNAVAILABLE within `timeoutMs`: the job may run nevertheless. OVERLOADED: too many jobs are queued.
   */
  enqueue(job: FlushJob): Promise<string>;
}

/** Undefined for an unknown job, or one whose record has expired. @throws AppError REDIS_UNAVAILABLE */
export type ReadJob = (jobId: string) => Promise<JobRecord | undefined>;
