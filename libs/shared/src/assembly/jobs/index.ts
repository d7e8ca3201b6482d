export { jobQueueFromConfig } from "./job-queue-from-config.ts";
export { noticeDeliveryFromConfig, noticeKeysFromConfig, noticeQueueFromConfig } from "./notices-from-config.ts";
