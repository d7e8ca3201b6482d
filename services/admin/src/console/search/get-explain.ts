import { accountsFor } from "@postern/shared/domain/domains";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../../context.ts";
import { auditedRequest, malformed } from "../../read-request.ts";
import { type OfDomains, requiredText, throwUnreadable } from "../query.ts";
import { subjectOf } from "../subject.ts";

type Reads = Pick<AdminContext, "auditReads"> & OfDomains;

/** `GET /api/v1/console/explain` */
export async function getExplain(
  request: FastifyRequest,
  reply: FastifyReply,
  { explain, auditReads, domains }: Reads & Pick<AdminContext, "explain">,
): Promise<FastifyReply> {
  const query = requiredText(request.query, "query");
  const isVisible = request.caller?.domains && (await accountsFor(request.caller, domains));
  const answer = await explain(query, isVisible).catch(throwUnreadable);
  // The answer about a network contains the accounts that sign in from there.
  const event = answer.kind === "address" || answer.kind === "network" ? "network.read" : "account.read";
  auditReads({ event, ...auditedRequest(request), target: query });
  return reply.header("cache-control", "no-store").send(answer);
}

/** `GET /api/v1/console/risk` */
export async function getRisk(
  request: FastifyRequest,
  reply: FastifyReply,
  { explainRisk, auditReads, domains }: Pick<AdminContext, "explainRisk" | "auditReads"> & OfDomains,
): Promise<FastifyReply> {
  const query = requiredText(request.query, "query");
  const subject = subjectOf(query);
  if (subject.kind === "address" || subject.kind === "network") {
    throw malformed("query: must be an account or a reference");
  }
  const isVisible = await accountsFor(request.caller, domains);
  const answer = await explainRisk(query, subject, isVisible).catch(throwUnreadable);
  auditReads({ event: "account.read", ...auditedRequest(request), target: query });
  return reply.header("cache-control", "no-store").send(answer);
}
