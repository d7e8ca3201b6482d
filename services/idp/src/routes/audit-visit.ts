import type { Audit, AuditRecord } from "@postern/shared/domain/audit";
import type { FastifyRequest } from "fastify";

/** Writes an audit record with the client address and session of the request. */
export function auditVisit(
  audit: Audit,
  { caller, id }: Pick<FastifyRequest, "caller" | "id">,
  event: Omit<AuditRecord, "clientIp" | "session">,
): void {
  audit.record({ ...event, clientIp: caller?.clientIp, session: caller?.session ?? id });
}
