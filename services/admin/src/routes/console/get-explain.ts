import { type Audit, auditedCaller } from "@postern/shared/domain/audit";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Explain } from "../../console/explain.ts";
import { sessionOf } from "../flush-route.ts";
import { malformed } from "../read-request.ts";
import { textOf, unreadable } from "./query.ts";

export interface ExplainRouteDeps {
  readonly explain: Explain;
  readonly audit: Audit;
}

/** `GET /api/v1/console/explain` */
export function getExplain({ explain, audit }: ExplainRouteDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const query = textOf(request.query, "query");
    if (query === undefined) throw malformed("query: is required");
    const answer = await explain(query).catch((error: unknown) => {
      throw unreadable(error);
    });
    if (answer.kind === "account" || answer.kind === "reference") {
      const caller = auditedCaller(request.caller);
      audit.record({ event: "account.read", outcome: "ok", ...caller, target: query, session: sessionOf(request) });
    }
    return reply.header("cache-control", "no-store").send(answer);
  };
}
