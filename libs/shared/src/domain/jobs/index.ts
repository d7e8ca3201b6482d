export { type FlushJob, parseFlushJob } from "./flush-job.ts";
export { createJobQueue, type JobQueue } from "./job-queue.ts";
export { createJobStatus, type ReadJob } from "./job-status.ts";
export {
  type NotificationChannel,
  type NotificationJob,
  notificationChannels,
  openNotification,
} from "./notification-job.ts";
export { createNotificationQueue, type NotificationQueue } from "./notification-queue.ts";
