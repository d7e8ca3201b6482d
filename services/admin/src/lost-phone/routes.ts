import { LostPhoneRequest } from "@postern/shared/contracts";
import { compileCheck } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { auditing, malformed, readBody, serve, sessionOf } from "../read-request.ts";
import { refusals } from "./create-lost-phone-code.ts";

const check = compileCheck(LostPhoneRequest);

async function postLostPhoneCode(request: FastifyRequest, reply: FastifyReply, context: AdminContext) {
  const { createLostPhoneCode, audit } = context;
  const { username: target } = readBody(check, request.body);
  const { write, run } = auditing({ audit }, request, { event: "lost_phone.create", target });
  const created = await run(() => createLostPhoneCode(target, sessionOf(request)));
  if (typeof created === "string") {
    write("denied", { reason: created });
    throw malformed(refusals[created]);
  }
  write("ok", { target: created.account });
  return reply.header("cache-control", "no-store").send(created);
}

/** `/api/v1/console/lost-phone-codes` */
export function registerLostPhone(app: FastifyInstance, context: AdminContext): void {
  serve(app, context, [["createLostPhoneCode", postLostPhoneCode]]);
}
