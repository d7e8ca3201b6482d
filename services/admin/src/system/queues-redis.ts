import type { JobRecord, SystemReport } from "@postern/shared/contracts";
import { countJobs, countNotifications, type JobCounts } from "@postern/shared/domain/jobs";
import { within } from "@postern/shared/platform/concurrency";
import { jobKey, type RedisClient } from "@postern/shared/platform/redis";
import type { ReadJob } from "../jobs/job-status-redis.ts";

const timeoutMs = 1000;
const maxJobs = 20;

/** Jobs in progress, then waiting ones, then ended ones, the latest first. */
async function recentIds(redis: RedisClient, keyPrefix: string): Promise<readonly string[]> {
  const key = (part: string): string => jobKey.build(keyPrefix, part);
  const last = maxJobs - 1;
  const [active, waiting, delayed, failed, completed] = await Promise.all([
    redis.lrange(key("active"), 0, last),
    redis.lrange(key("wait"), 0, last),
    redis.zrange(key("delayed"), "0", String(last)),
    redis.zrange(key("failed"), "0", String(last), "REV"),
    redis.zrange(key("completed"), "0", String(last), "REV"),
  ]);
  const ended = [...failed.slice(0, maxJobs / 4), ...completed];
  return [...new Set([...active, ...waiting, ...delayed, ...ended])].slice(0, maxJobs);
}

async function stateOf(name: string, counted: Promise<JobCounts>): Promise<SystemReport["queues"][number]> {
  try {
    return { name, state: "up", ...(await within(counted, timeoutMs)) };
  } catch {
    return { name, state: "unknown" };
  }
}

/** Never rejects: what cannot be read is `unknown`. @param redis of the role `queue` */
export function createQueues(redis: RedisClient, keyPrefix: string, readJob: ReadJob) {
  const recentJobs = async (): Promise<readonly JobRecord[]> => {
    const records = await Promise.all((await recentIds(redis, keyPrefix)).map((id) => readJob(id)));
    return records.filter((record) => record !== undefined);
  };
  return async () => {
    const [flushes, notifications, jobs] = await Promise.all([
      stateOf("flush", countJobs(redis, keyPrefix)),
      stateOf("notifications", countNotifications(redis, keyPrefix)),
      within(recentJobs(), timeoutMs).catch(() => []),
    ]);
    return { queues: [flushes, notifications], jobs };
  };
}

export type ReadQueues = ReturnType<typeof createQueues>;
