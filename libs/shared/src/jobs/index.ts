export { countJobs, countNotices, type JobCounts } from "./count-jobs.ts";
export type { FlushJob } from "./flush-job.ts";
export { createFoundKeys } from "./found-keys.ts";
export { createJobQueue, type JobQueue } from "./job-queue.ts";
export { createJobStatus, type ReadJob } from "./job-status.ts";
export { createJobWorker, type JobEvents, type JobWorker } from "./job-worker.ts";
export { type NoticeChannel, type NoticeJob, noticeChannels } from "./notice-job.ts";
export { createNoticeQueue, type NoticeQueue } from "./notice-queue.ts";
export { createNoticeWorker, type NoticeEvents, type NoticeWorker } from "./notice-worker.ts";
