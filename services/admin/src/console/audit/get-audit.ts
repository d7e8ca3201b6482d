import type { LiveDomains } from "@postern/shared/assembly";
import { type Audit, auditedCaller } from "@postern/shared/domain/audit";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../../context.ts";
import { sessionOf } from "../../read-request.ts";
import { numberOf, textOf, unreadable } from "../query.ts";
import { type AuditQuery, auditQueryIn } from "./audit-query.ts";
import { type LimitEntry, limitAudit, shownEntries } from "./limit-audit.ts";

export interface AuditContext extends Pick<AdminContext, "readAuditHistory"> {
  readonly audit: Audit;
  readonly domains: Pick<LiveDomains, "current">;
}

/** A filter must not find what the caller may not read. */
export function matchesWhatIsShown({ matches }: Pick<AuditQuery, "matches">, limit: LimitEntry): AuditQuery["matches"] {
  return (entry) => {
    const shown = limit(entry);
    return shown !== undefined && matches(shown);
  };
}

/** `GET /api/v1/console/audit` */
export function getAudit({ readAuditHistory, audit, domains }: AuditContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { query, caller } = request;
    const { filter: target, ...auditQuery } = auditQueryIn(query);
    const size = numberOf(query, "limit", { usual: 50, max: 500 });
    const cursor = textOf(query, "cursor");
    if (readAuditHistory === undefined) return reply.code(404).send({ error: "the audit history is disabled" });
    const limit = await limitAudit(caller, domains);
    const limited = { ...auditQuery, matches: matchesWhatIsShown(auditQuery, limit) };
    const { entries, next } = await readAuditHistory({ ...limited, size, cursor }).catch((error: unknown) => {
      throw unreadable(error);
    });
    audit.record({ event: "audit.read", outcome: "ok", ...auditedCaller(caller), target, session: sessionOf(request) });
    const page = { records: shownEntries(entries, limit), ...(next !== undefined && { next }) };
    return reply.header("cache-control", "no-store").send(page);
  };
}
