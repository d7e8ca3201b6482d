import type { KeyFamily } from "./family.ts";

const ofJobs = { role: "queue", lost: "jobs that have not run yet are lost" } as const;

/** The prefix of BullMQ's keys: one hash tag, because its scripts need several keys together. */
export function jobsPrefix(prefix: string): string {
  return `${prefix}{jobs}`;
}

/** The queue of flush jobs. BullMQ spells `<prefix>:<queue>:<part>`; a colon is not allowed in the name. */
export const flushQueue = "flush";

/** BullMQ's own: a hash for each job, a lock while it runs, lists and sorted sets of ids. */
export const jobKey: KeyFamily<[part: string]> = {
  ...ofJobs,
  name: "job queue",
  owner: "admin, jobs-worker",
  type: "hash",
  ttlSeconds: 0,
  bound: "`runtime.jobs.retention` after the job has ended; at most `runtime.jobs.max_queued` waiting",
  parts: ["job, or BullMQ's lists"],
  build: (prefix, part) => `${jobsPrefix(prefix)}:${flushQueue}:${part}`,
};

/** The queue of user notifications. */
export const notificationQueue = "notices";

/** BullMQ's keys of that queue. Each notification is encrypted, and removed when it is delivered or has failed permanently. */
export const notificationJobKey: KeyFamily<[part: string]> = {
  role: "queue",
  lost: "user notifications that have not been delivered yet are lost",
  name: "user notification queue",
  owner: "idp, jobs-worker",
  type: "hash",
  ttlSeconds: 0,
  bound: "about two hours; at most `runtime.jobs.max_queued` waiting",
  parts: ["user notification, or BullMQ's lists"],
  build: (prefix, part) => `${jobsPrefix(prefix)}:${notificationQueue}:${part}`,
};

/** The latest user notifications to an account that were delivered or failed, at most 20; each is encrypted. */
export const sentNotificationsKey: KeyFamily<[accountDigest: string]> = {
  name: "sent user notifications",
  owner: "jobs-worker",
  role: "state",
  type: "list",
  ttlSeconds: 30 * 86_400,
  lost: "operators do not see which user notifications an account received",
  parts: ["account digest"],
  build: (prefix, accountDigest) => `${prefix}notices:sent:{${accountDigest}}`,
};

/** Keys that a job found before it removed any, so that a worker that resumes it counts them. */
export const foundKeysKey: KeyFamily<[jobId: string]> = {
  ...ofJobs,
  name: "keys found by a job",
  owner: "jobs-worker",
  type: "string",
  ttlSeconds: 86_400,
  lost: "a resumed job reports fewer keys than were removed",
  parts: ["job"],
  build: (prefix, jobId) => `${jobsPrefix(prefix)}:found:${jobId}`,
};

export const jobKeyFamilies: readonly KeyFamily<never[]>[] = [
  jobKey,
  notificationJobKey,
  sentNotificationsKey,
  foundKeysKey,
];
