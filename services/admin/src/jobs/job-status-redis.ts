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
type Fields = ReturnType<typeof readFields>;

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
  const { name, createdAt, startedAt, finishedAt, result, failure } = fields;
  const status = statusOf(fields);
  const count = Number(result ?? 0);
  return {
    jobId,
    status,
    type: name === "BF_FLUSH" ? "BF_FLUSH" : "CACHE_FLUSH",
    createdAt: timeOf(createdAt),
    startedAt: status === "QUEUED" ? "" : timeOf(startedAt),
    finishedAt: timeOf(finishedAt),
    resultCount: status === "DONE" && Number.isInteger(count) ? count : 0,
    error: status === "ERROR" && typeof failure === "string" ? failure : "",
    ...(status === "QUEUED" && waitOf(fields)),
  };
}

/** Reads jobs: undefined for an unknown one, or one whose record has expired. @param redis of the role `queue` */
export function createJobStatus(redis: RedisClient, keyPrefix: string, retentionMs: number) {
  const read = defineScript(redis, readJob);
  const keyOf = (part: string): string => jobKey.build(keyPrefix, part);
  const lists = { waitKey: keyOf("wait"), delayedKey: keyOf("delayed") };
  /** @throws AppError REDIS_UNAVAILABLE */
  return async (jobId: string): Promise<JobRecord | undefined> => {
    if (!jobIdForm.test(jobId)) return undefined;
    const keys = { jobKey: keyOf(jobId), lockKey: keyOf(`${jobId}:lock`), ...lists };
    const reply = await read(keys, { retentionMs, jobId }).catch((cause: unknown) => {
      throw new AppError("REDIS_UNAVAILABLE", { detail: "the job's record cannot be read", cause });
    });
    if (reply === null) return undefined;
    return recordOf(jobId, readFields(reply));
  };
}

export type ReadJob = ReturnType<typeof createJobStatus>;
