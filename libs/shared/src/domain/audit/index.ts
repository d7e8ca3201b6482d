export {
  type Audit,
  type AuditOutcome,
  type AuditRecord,
  auditedCaller,
  createAudit,
  createAuditStream,
} from "./audit.ts";
export { type AuditEvent, auditEvents } from "./events.ts";
