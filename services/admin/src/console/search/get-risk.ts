import { auditedCaller } from "@postern/shared/domain/audit";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../../context.ts";
import { malformed, sessionOf } from "../../read-request.ts";
import { textOf, unreadable } from "../query.ts";
import { subjectOf } from "../subject.ts";

/** `GET /api/v1/console/risk` */
export function getRisk({ explainRisk, auditReads }: Pick<AdminContext, "explainRisk" | "auditReads">) {
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
