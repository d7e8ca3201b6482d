export { createDeliverNotice, type NoticeDeliverySettings } from "./deliver-notice.ts";
export { webhookHeaders } from "./webhook.ts";
