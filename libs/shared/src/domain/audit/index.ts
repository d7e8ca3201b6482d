export { type Audit, type AuditOutcome, type AuditRecord, auditedCaller } from "./audit.ts";
export * from "./events.ts";
