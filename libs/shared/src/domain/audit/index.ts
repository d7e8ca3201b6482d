export { type Audit, type AuditOutcome, type AuditRecord, createAudit } from "./audit.ts";
export { type AuditStream, createAuditStream } from "./audit-stream.ts";
export { auditedCaller } from "./audited-caller.ts";
export { type AuditEvent, auditEvents } from "./events.ts";
