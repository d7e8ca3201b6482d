export { type AuditEntry } from "./audit-entry.ts";
export {
  type AuditHistoryPage,
  type AuditHistoryQuery,
  createAuditHistory,
  type ReadAuditHistory,
} from "./read-audit-history.ts";
export { type AuditHistoryRecorder, createAuditHistoryRecorder } from "./record-audit-history.ts";
export { type AuditHistoryLimits, createAuditHistoryWriter } from "./write-audit-history.ts";
