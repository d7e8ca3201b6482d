export { countJobs, countNotifications, type JobCounts } from "./count-jobs.ts";
export { type FlushJob, parseFlushJob } from "./flush-job.ts";
export { createLazyQueue } from "./lazy-queue.ts";
export {
  type NotificationChannel,
  type NotificationJob,
  notificationChannels,
  notificationJobId,
  openNotification,
  sealNotification,
} from "./notification-job.ts";
