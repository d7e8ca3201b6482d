export { jobQueueFromConfig } from "./job-queue-from-config.ts";
