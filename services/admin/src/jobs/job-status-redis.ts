import type { JobRecord, JobStatus } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { defineScript, jobKey, type RedisClient, readFields } from "@postern/shared/platform/redis";
import readJobLua from "./scripts/read-job.lua?raw";

const readJob = {
  name: "readJob",
  lua: readJobLua,
  keys: ["jobKey", "lockKey", "waitKey", "delayedKey"],
  args: ["retentionMs", "jobId"],
} as const;
const jobIdForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** What the script replies. */
interface Fields {
  readonly name: unknown;
  readonly createdAt: unknown;
  readonly startedAt: unknown;
  readonly finishedAt: unknown;
  readonly result: unknown;
  readonly failure: unknown;
  readonly isLocked: unknown;
  readonly ahead: unknown;
  readonly nextRun: unknown;
  readonly runs: unknown;
}

function timeOf(value: unknown): string {
  return typeof value === "string" && value !== "" ? new Date(Number(value)).toISOString() : "";
}

/** A job runs only while a worker renews its lock. A job whose worker died is reported as queued, because it is queued again. */
function statusOf({ finishedAt, result, isLocked }: Fields): JobStatus {
  // The failure of an earlier run remains beside the result of a later run that succeeded.
  if (typeof finishedAt === "string") return typeof result === "string" ? "DONE" : "ERROR";
  return isLocked === 1 ? "INPROGRESS" : "QUEUED";
}

/** What a job waits for. */
function waitOf({ ahead, nextRun, runs }: Fields): Pick<JobRecord, "ahead" | "nextRun" | "runs"> {
  const failed = Number(runs ?? 0);
  return {
    ...(typeof ahead === "number" && { ahead }),
    ...(Number.isInteger(failed) && failed > 0 && { runs: failed }),
    ...(typeof nextRun === "string" && { nextRun: timeOf(nextRun) }),
  };
}

function recordOf(jobId: string, fields: Fields): JobRecord {
  const status = statusOf(fields);
  const count = Number(fields.result ?? 0);
  return {
    jobId,
    status,
    type: fields.name === "BF_FLUSH" ? "BF_FLUSH" : "CACHE_FLUSH",
    createdAt: timeOf(fields.createdAt),
    startedAt: status === "QUEUED" ? "" : timeOf(fields.startedAt),
    finishedAt: timeOf(fields.finishedAt),
    resultCount: status === "DONE" && Number.isInteger(count) ? count : 0,
    error: status === "ERROR" && typeof fields.failure === "string" ? fields.failure : "",
    ...(status === "QUEUED" && waitOf(fields)),
  };
}

/** Undefined for an unknown job, or one whose record has expired. @throws AppError REDIS_UNAVAILABLE */
export type ReadJob = (jobId: string) => Promise<JobRecord | undefined>;

/** @param redis of the role `queue` */
export function createJobStatus(redis: RedisClient, keyPrefix: string, retentionMs: number): ReadJob {
  const read = defineScript(redis, readJob);
  const keyOf = (part: string): string => jobKey.build(keyPrefix, part);
  const lists = { waitKey: keyOf("wait"), delayedKey: keyOf("delayed") };
  return async (jobId) => {
    if (!jobIdForm.test(jobId)) return undefined;
    const keys = { jobKey: keyOf(jobId), lockKey: keyOf(`${jobId}:lock`), ...lists };
    const reply = await read(keys, { retentionMs, jobId }).catch((cause: unknown) => {
      throw new AppError("REDIS_UNAVAILABLE", { detail: "the job's record cannot be read", cause });
    });
    if (reply === null) return undefined;
    const { name, createdAt, startedAt, finishedAt, result, failure, isLocked, ahead, nextRun, runs } =
      readFields(reply);
    return recordOf(jobId, { name, createdAt, startedAt, finishedAt, result, failure, isLocked, ahead, nextRun, runs });
  };
}
