import { AccountQuery } from "@postern/shared/contracts";
import { auditedCaller } from "@postern/shared/domain/audit";
import { compileCheck } from "@postern/shared/platform/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../../context.ts";
import { malformed, sessionOf } from "../../read-request.ts";

const check = compileCheck(AccountQuery);

/** `POST /api/v1/console/account` */
export function postAccount({ reportAccount, auditReads }: Pick<AdminContext, "reportAccount" | "auditReads">) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { body } = request;
    if (!check.accepts(body)) throw malformed(check.explain(body));
    const session = sessionOf(request);
    const report = await reportAccount(body, session);
    const caller = auditedCaller(request.caller);
    auditReads({ event: "account.read", ...caller, target: body.account, session });
    return reply.header("cache-control", "no-store").send(report);
  };
}
