import type { KeyFamily } from "./family.ts";

const ofJobs = { role: "queue", lost: "jobs that were not run yet; nobody runs them" } as const;

/** What BullMQ prefixes its keys with: one hash tag, as its scripts need several keys at once. */
export function jobsPrefix(prefix: string): string {
  return `${prefix}{jobs}`;
}

/** The queue of flush jobs. BullMQ spells `<prefix>:<queue>:<part>`; a colon is not allowed in the name. */
export const flushQueue = "flush";

/** BullMQ's own: a hash for each job, a lock while it runs, lists and sorted sets of ids. */
export const jobKey: KeyFamily<[part: string]> = {
  ...ofJobs,
  name: "queue of jobs",
  owner: "admin, jobs-worker",
  type: "hash",
  ttlSeconds: 0,
  bound: "`runtime.jobs.retention` after its end; at most `runtime.jobs.max_queued` wait",
  parts: ["job, or BullMQ's lists"],
  build: (prefix, part) => `${jobsPrefix(prefix)}:${flushQueue}:${part}`,
};

/** The queue of notices to users and operators. */
export const noticeQueue = "notices";

/** The same for it: each notice is sealed and goes when it was delivered, or given up. */
export const noticeJobKey: KeyFamily<[part: string]> = {
  role: "queue",
  lost: "notices that were not delivered yet",
  name: "queue of notices",
  owner: "idp, jobs-worker",
  type: "hash",
  ttlSeconds: 0,
  bound: "some two hours; at most `runtime.jobs.max_queued` wait",
  parts: ["notice, or BullMQ's lists"],
  build: (prefix, part) => `${jobsPrefix(prefix)}:${noticeQueue}:${part}`,
};

/** Keys that a job found before it removed any, so that who continues it counts them. */
export const foundKeysKey: KeyFamily<[jobId: string]> = {
  ...ofJobs,
  name: "keys that a job found",
  owner: "jobs-worker",
  type: "string",
  ttlSeconds: 86_400,
  lost: "a job that is continued counts less than was removed",
  parts: ["job"],
  build: (prefix, jobId) => `${jobsPrefix(prefix)}:found:${jobId}`,
};

export const jobKeyFamilies: readonly KeyFamily<never[]>[] = [jobKey, noticeJobKey, foundKeysKey];
