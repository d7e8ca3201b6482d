import { type Static, Type } from "typebox";
import { Envelope } from "./envelope.ts";

/** Contract, "States and transitions". */
export const JobStatus = Type.Union([
  Type.Literal("QUEUED"),
  Type.Literal("INPROGRESS"),
  Type.Literal("DONE"),
  Type.Literal("ERROR"),
]);
export type JobStatus = Static<typeof JobStatus>;

export const JobType = Type.Union([Type.Literal("CACHE_FLUSH"), Type.Literal("BF_FLUSH")]);
export type JobType = Static<typeof JobType>;

const Enqueued = Type.Object({ jobId: Type.String(), status: Type.Literal("QUEUED") });

/** Answers of the asynchronous flushes, 202: the job is kept, and some worker will run it. */
export const CacheFlushAsync = Envelope("cache", "flush_async", Enqueued);
export type CacheFlushAsync = Static<typeof CacheFlushAsync>;
export const BruteForceFlushAsync = Envelope("bruteforce", "flush_async", Enqueued);
export type BruteForceFlushAsync = Static<typeof BruteForceFlushAsync>;

/** What is known of a job. Times are ISO 8601 in UTC, empty until they are. */
export const JobRecord = Type.Object({
  jobId: Type.String(),
  status: JobStatus,
  type: JobType,
  createdAt: Type.String(),
  startedAt: Type.String({ description: "of the run that counts: a job that another worker took over began again" }),
  finishedAt: Type.String(),
  resultCount: Type.Integer({ minimum: 0, description: "keys removed" }),
  error: Type.String({ description: "empty when none" }),
});
export type JobRecord = Static<typeof JobRecord>;

/** Answer of `GET /api/v1/async/jobs/{jobId}`. */
export const AsyncJobStatus = Envelope("async", "status", JobRecord);
export type AsyncJobStatus = Static<typeof AsyncJobStatus>;
