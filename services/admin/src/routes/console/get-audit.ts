import { type Audit, auditedCaller } from "@postern/shared/domain/audit";
import type { ReadAuditHistory } from "@postern/shared/domain/history";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sessionOf } from "../flush-route.ts";
import { auditQueryIn } from "./audit-query.ts";
import { numberOf, textOf, unreadable } from "./query.ts";

export interface AuditRouteDeps {
  /** Undefined while audit records are not kept in Redis. */
  readonly readAuditHistory: ReadAuditHistory | undefined;
  readonly audit: Audit;
}

/** `GET /api/v1/console/audit` */
export function getAudit({ readAuditHistory, audit }: AuditRouteDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { query, caller } = request;
    const { filter: target, ...auditQuery } = auditQueryIn(query);
    const size = numberOf(query, "limit", { usual: 50, max: 500 });
    const cursor = textOf(query, "cursor");
    if (readAuditHistory === undefined) return reply.code(404).send({ error: "the audit history is disabled" });
    const { entries, next } = await readAuditHistory({ ...auditQuery, size, cursor }).catch((error: unknown) => {
      throw unreadable(error);
    });
    audit.record({ event: "audit.read", outcome: "ok", ...auditedCaller(caller), target, session: sessionOf(request) });
    const page = { records: entries, ...(next !== undefined && { next }) };
    return reply.header("cache-control", "no-store").send(page);
  };
}
