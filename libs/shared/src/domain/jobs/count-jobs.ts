import { jobKey, notificationJobKey, type RedisClient } from "../../platform/redis/index.ts";

export interface JobCounts {
  readonly waiting: number;
  readonly active: number;
  /** Jobs that failed and wait for their next attempt. */
  readonly delayed: number;
  /** Jobs that failed permanently and whose records are kept. */
  readonly failed: number;
}

async function countQueue(redis: RedisClient, keyPrefix: string, key: typeof jobKey): Promise<JobCounts> {
  const [waiting, active, delayed, failed] = await Promise.all([
    redis.llen(key.build(keyPrefix, "wait")),
    redis.llen(key.build(keyPrefix, "active")),
    redis.zcard(key.build(keyPrefix, "delayed")),
    redis.zcard(key.build(keyPrefix, "failed")),
  ]);
  return { waiting, active, delayed, failed };
}

/** `redis` is of the role `queue`. */
export function countJobs(redis: RedisClient, keyPrefix: string): Promise<JobCounts> {
  return countQueue(redis, keyPrefix, jobKey);
}

/** Counts the user notifications. */
export function countNotifications(redis: RedisClient, keyPrefix: string): Promise<JobCounts> {
  return countQueue(redis, keyPrefix, notificationJobKey);
}
