import type { LiveDomains } from "@postern/shared/assembly";
import { auditedCaller } from "@postern/shared/domain/audit";
import { accountsFor } from "@postern/shared/domain/domains";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../../context.ts";
import { malformed, sessionOf } from "../../read-request.ts";
import { textOf, unreadable } from "../query.ts";

/** `GET /api/v1/console/explain` */
export function getExplain({
  explain,
  auditReads,
  domains,
}: Pick<AdminContext, "explain" | "auditReads"> & { readonly domains: Pick<LiveDomains, "current"> }) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const query = textOf(request.query, "query");
    if (query === undefined) throw malformed("query: is required");
    const isVisible = request.caller?.domains && (await accountsFor(request.caller, domains));
    const answer = await explain(query, isVisible).catch((error: unknown) => {
      throw unreadable(error);
    });
    // The answer about a network contains the accounts that sign in from there.
    const event = answer.kind === "address" || answer.kind === "network" ? "network.read" : "account.read";
    const caller = auditedCaller(request.caller);
    auditReads({ event, ...caller, target: query, session: sessionOf(request) });
    return reply.header("cache-control", "no-store").send(answer);
  };
}
