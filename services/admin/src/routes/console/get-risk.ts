import { auditedCaller } from "@postern/shared/domain/audit";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AuditReads } from "../../console/audit-reads.ts";
import type { ExplainRisk } from "../../console/explain-risk.ts";
import { subjectOf } from "../../console/subject.ts";
import { sessionOf } from "../flush-route.ts";
import { malformed } from "../read-request.ts";
import { textOf, unreadable } from "./query.ts";

export interface RiskRouteDeps {
  readonly explainRisk: ExplainRisk;
  readonly auditReads: AuditReads;
}

/** `GET /api/v1/console/risk` */
export function getRisk({ explainRisk, auditReads }: RiskRouteDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const query = textOf(request.query, "query");
    if (query === undefined) throw malformed("query: is required");
    const subject = subjectOf(query);
    if (subject.kind === "address" || subject.kind === "network") {
      throw malformed("query: must be an account or a reference");
    }
    const answer = await explainRisk(query, subject).catch((error: unknown) => {
      throw unreadable(error);
    });
    const caller = auditedCaller(request.caller);
    auditReads({ event: "account.read", ...caller, target: query, session: sessionOf(request) });
    return reply.header("cache-control", "no-store").send(answer);
  };
}
