export { type AccountChange, type AccountChanges, createAccountChanges } from "./account-changes.ts";
export type * from "./decision-record.ts";
export * from "./decision-recorder.ts";
export * from "./read-audit.ts";
export { createDecisionHistory, type DecisionHistory } from "./read-decisions.ts";
export type { HistoryPage } from "./read-pages.ts";
export { type AuditEntry, createAuditHistoryRecorder, createAuditHistoryWriter } from "./record-audit.ts";
export { createSentNotifications, type SentNotifications } from "./sent-notifications.ts";
export { createHistoryWriter, type WriteHistory } from "./write-decisions.ts";
