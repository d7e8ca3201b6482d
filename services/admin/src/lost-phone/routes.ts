import { LostPhoneRequest, operation } from "@postern/shared/contracts";
import { type AuditOutcome, auditedCaller } from "@postern/shared/domain/audit";
import { compileCheck, guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { malformed, sessionOf } from "../read-request.ts";
import { refusals } from "./create-lost-phone-code.ts";

const check = compileCheck(LostPhoneRequest);

function postLostPhoneCode({ createLostPhoneCode, audit }: AdminContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { body, caller } = request;
    if (!check.accepts(body)) throw malformed(check.explain(body));
    const { username } = body;
    const session = sessionOf(request);
    const line = { event: "lost_phone.create", ...auditedCaller(caller), session } as const;
    const write = (outcome: AuditOutcome, target: string, reason?: string): void =>
      audit.record({ ...line, outcome, target, reason });
    const created = await createLostPhoneCode(username, session).catch((error: unknown) => {
      write("undecided", username);
      throw error;
    });
    if (typeof created === "string") {
      write("denied", username, created);
      throw malformed(refusals[created]);
    }
    write("ok", created.account);
    return reply.header("cache-control", "no-store").send(created);
  };
}

/** `/api/v1/console/lost-phone-codes` */
export function registerLostPhone(app: FastifyInstance, context: AdminContext): void {
  const route = guardedRoute(operation("createLostPhoneCode"), context.settings.identifier);
  app.route({ ...route, handler: postLostPhoneCode(context) });
}
