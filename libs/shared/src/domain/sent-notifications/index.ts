export { createSentNotifications, type SentNotifications } from "./records.ts";
export type { SentNotification } from "./sent-notification.ts";
