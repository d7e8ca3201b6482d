import { jobKey, notificationJobKey, type RedisClient } from "../../platform/redis/index.ts";

/** `redis` is of the role `queue`. */
export async function countJobs(redis: RedisClient, keyPrefix: string, key = jobKey) {
  const [waiting, active, delayed, failed] = await Promise.all([
    redis.llen(key.build(keyPrefix, "wait")),
    redis.llen(key.build(keyPrefix, "active")),
    redis.zcard(key.build(keyPrefix, "delayed")),
    redis.zcard(key.build(keyPrefix, "failed")),
  ]);
  return {
    waiting,
    active,
    /** Jobs that failed and wait for their next attempt. */
    delayed,
    /** Jobs that failed permanently and whose records are kept. */
    failed,
  };
}

export type JobCounts = Awaited<ReturnType<typeof countJobs>>;

/** Counts the user notifications. */
export function countNotifications(redis: RedisClient, keyPrefix: string): Promise<JobCounts> {
  return countJobs(redis, keyPrefix, notificationJobKey);
}
