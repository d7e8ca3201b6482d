import type { JobRecord, JobStatus } from "../contracts/admin/jobs.ts";
import { AppError } from "../errors/index.ts";
import type { RedisClient } from "../redis/client.ts";
import { jobKey } from "../redis/keys/jobs.ts";
import { defineScript } from "../redis/script.ts";

export interface JobStatusDeps {
  /** Of the role `queue`. */
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly retentionMs: number;
}

/** Undefined for a job that is unknown, or whose record has expired. @throws AppError REDIS_UNAVAILABLE */
export type ReadJob = (jobId: string) => Promise<JobRecord | undefined>;

/**
 * KEYS: job, its lock; ARGV: retention (ms). One round trip, as operators poll it. BullMQ clears records when other
 * jobs end; for us they end with their time.
 */
const readLua = `
local job = redis.call("HMGET", KEYS[1], "name", "timestamp", "processedOn", "finishedOn", "returnvalue", "failedReason")
if not job[1] then return false end
if job[4] then
  local time = redis.call("TIME")
  if tonumber(time[1]) * 1000 - tonumber(job[4]) > tonumber(ARGV[1]) then return false end
end
job[7] = redis.call("EXISTS", KEYS[2])
return job
`;

const jobIdForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

interface Fields {
  readonly name: unknown;
  readonly createdAt: unknown;
  readonly startedAt: unknown;
  readonly finishedAt: unknown;
  readonly result: unknown;
  readonly failure: unknown;
  readonly isLocked: boolean;
}

function timeOf(value: unknown): string {
  return typeof value === "string" && value !== "" ? new Date(Number(value)).toISOString() : "";
}

/** Only a worker that renews its lock is at work: a job whose worker died is queued again, and says so. */
function statusOf({ finishedAt, result, isLocked }: Fields): JobStatus {
  // The failure of an earlier run stays beside the result of the one that succeeded.
  if (typeof finishedAt === "string") return typeof result === "string" ? "DONE" : "ERROR";
  return isLocked ? "INPROGRESS" : "QUEUED";
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
  };
}

export function createJobStatus({ redis, prefix, retentionMs }: JobStatusDeps): ReadJob {
  const read = defineScript(redis, { name: "readJob", lua: readLua, numberOfKeys: 2 });
  return async (jobId) => {
    if (!jobIdForm.test(jobId)) return undefined;
    const keys = [jobKey.build(prefix, jobId), jobKey.build(prefix, `${jobId}:lock`)];
    const reply = await read(keys, [retentionMs]).catch((cause: unknown) => {
      throw new AppError("REDIS_UNAVAILABLE", { detail: "the job's record cannot be read", cause });
    });
    if (!Array.isArray(reply)) return undefined;
    const [name, createdAt, startedAt, finishedAt, result, failure, locked]: readonly unknown[] = reply;
    return recordOf(jobId, { name, createdAt, startedAt, finishedAt, result, failure, isLocked: locked === 1 });
  };
}
