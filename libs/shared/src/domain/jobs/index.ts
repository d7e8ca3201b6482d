export * from "./count-jobs.ts";
export * from "./flush-job.ts";
export * from "./lazy-queue.ts";
export * from "./notification-job.ts";
