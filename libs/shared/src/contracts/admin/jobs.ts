import { type Static, Type } from "typebox";
import { text } from "../schema.ts";
import { Envelope } from "./envelope.ts";

/** States of a job. */
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

/** Answers of the asynchronous flushes, 202: the job is stored and a worker will run it. */
export const CacheFlushAsync = Envelope("cache", "flush_async", Enqueued);
export type CacheFlushAsync = Static<typeof CacheFlushAsync>;
export const BruteForceFlushAsync = Envelope("bruteforce", "flush_async", Enqueued);
export type BruteForceFlushAsync = Static<typeof BruteForceFlushAsync>;

/** State of a job. Times are ISO 8601 in UTC, empty until known. */
export const JobRecord = Type.Object({
  jobId: Type.String(),
  status: JobStatus,
  type: JobType,
  createdAt: Type.String(),
  startedAt: text("Start of the current run. A job that another worker takes over starts again."),
  finishedAt: Type.String(),
  resultCount: Type.Integer({ minimum: 0, description: "Number of removed keys." }),
  error: text("Error message. Empty if the job did not fail."),
});
export type JobRecord = Static<typeof JobRecord>;

/** Answer of `GET /api/v1/async/jobs/{jobId}`. */
export const AsyncJobStatus = Envelope("async", "status", JobRecord);
export type AsyncJobStatus = Static<typeof AsyncJobStatus>;
