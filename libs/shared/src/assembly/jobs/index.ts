export { jobQueueFromConfig } from "./job-queue-from-config.ts";
export { notificationKeysFromConfig, notificationQueueFromConfig } from "./notifications-from-config.ts";
