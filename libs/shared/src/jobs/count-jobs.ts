import type { RedisClient } from "../redis/client.ts";
import { jobKey, noticeJobKey } from "../redis/keys/jobs.ts";

export interface JobCounts {
  readonly waiting: number;
  readonly active: number;
  /** Tried, and waiting for their next attempt. */
  readonly delayed: number;
}

async function countQueue(redis: RedisClient, prefix: string, key: typeof jobKey): Promise<JobCounts> {
  const [waiting, active, delayed] = await Promise.all([
    redis.llen(key.build(prefix, "wait")),
    redis.llen(key.build(prefix, "active")),
    redis.zcard(key.build(prefix, "delayed")),
  ]);
  return { waiting, active, delayed };
}

/** `redis` is of the role `queue`. */
export function countJobs(redis: RedisClient, prefix: string): Promise<JobCounts> {
  return countQueue(redis, prefix, jobKey);
}

/** The same for notices to users. */
export function countNotices(redis: RedisClient, prefix: string): Promise<JobCounts> {
  return countQueue(redis, prefix, noticeJobKey);
}
