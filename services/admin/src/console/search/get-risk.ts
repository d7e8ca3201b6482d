import type { LiveDomains } from "@postern/shared/assembly";
import { auditedCaller } from "@postern/shared/domain/audit";
import { accountsFor } from "@postern/shared/domain/domains";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../../context.ts";
import { malformed, sessionOf } from "../../read-request.ts";
import { textOf, unreadable } from "../query.ts";
import { subjectOf } from "../subject.ts";

/** `GET /api/v1/console/risk` */
export function getRisk({
  explainRisk,
  auditReads,
  domains,
}: Pick<AdminContext, "explainRisk" | "auditReads"> & { readonly domains: Pick<LiveDomains, "current"> }) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const query = textOf(request.query, "query");
    if (query === undefined) throw malformed("query: is required");
    const subject = subjectOf(query);
    if (subject.kind === "address" || subject.kind === "network") {
      throw malformed("query: must be an account or a reference");
    }
    const isVisible = await accountsFor(request.caller, domains);
    const answer = await explainRisk(query, subject, isVisible).catch((error: unknown) => {
      throw unreadable(error);
    });
    const caller = auditedCaller(request.caller);
    auditReads({ event: "account.read", ...caller, target: query, session: sessionOf(request) });
    return reply.header("cache-control", "no-store").send(answer);
  };
}
