export { type Audit, type AuditOutcome, type AuditRecord, auditedCaller, createAudit } from "./audit.ts";
export { createAuditStream } from "./audit-stream.ts";
export { type AuditEvent, auditEvents } from "./events.ts";
