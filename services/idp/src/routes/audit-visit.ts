import type { Audit, AuditRecord } from "@postern/shared/audit";
import type { FastifyRequest } from "fastify";

/** Writes an event of the audit stream, with where the request comes from. */
export function auditVisit(
  audit: Audit,
  { caller, id }: FastifyRequest,
  event: Omit<AuditRecord, "clientIp" | "session">,
): void {
  audit.record({ ...event, clientIp: caller?.clientIp, session: caller?.session ?? id });
}
