import { keysWith } from "./family.ts";

const key = keysWith({ owner: "jobs-worker", role: "queue" });

/** The prefix of BullMQ's keys: one hash tag, because its scripts need several keys together. */
export function jobsPrefix(prefix: string): string {
  return `${prefix}{jobs}`;
}

/** The queue of flush jobs. BullMQ spells `<prefix>:<queue>:<part>`; a colon is not allowed in the name. */
export const flushQueue = "flush";

/** BullMQ's own: a hash for each job, a lock while it runs, lists and sorted sets of ids. */
export const jobKey = key("job queue", "hash", 0, {
  owner: "admin, jobs-worker",
  template: `{jobs}:${flushQueue}:<job, or BullMQ's lists>`,
  bound: "`runtime.jobs.retention` after the job has ended; at most `runtime.jobs.max_queued` waiting",
  lost: "jobs that have not run yet are lost",
});

/** The queue of user notifications. */
export const notificationQueue = "notices";

/** BullMQ's keys of that queue. Each notification is encrypted, and removed when it is delivered or has failed permanently. */
export const notificationJobKey = key("user notification queue", "hash", 0, {
  owner: "idp, jobs-worker",
  template: `{jobs}:${notificationQueue}:<user notification, or BullMQ's lists>`,
  bound: "about two hours; at most `runtime.jobs.max_queued` waiting",
  lost: "user notifications that have not been delivered yet are lost",
});

/** The latest user notifications to an account that were delivered or failed, at most 20; each is encrypted. */
export const sentNotificationsKey = key("sent user notifications", "list", 30 * 86_400, {
  role: "state",
  template: "notices:sent:{<account digest>}",
  lost: "operators do not see which user notifications an account received",
});

/** Keys that a job found before it removed any, so that a worker that resumes it counts them. */
export const foundKeysKey = key("keys found by a job", "string", 86_400, {
  template: "{jobs}:found:<job>",
  lost: "a resumed job reports fewer keys than were removed",
});
