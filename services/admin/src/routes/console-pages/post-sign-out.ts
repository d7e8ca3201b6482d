import type { FastifyReply } from "fastify";
import { ownForm } from "./console-form.ts";
import { type ConsoleVisit, forOperator, originOf, sendNotice } from "./console-visit.ts";
import type { ConsolePagesDeps } from "./deps.ts";

/** `POST /console/sign-out`: ends the session of the console, not the one at the identity provider. */
export function postSignOut(deps: ConsolePagesDeps) {
  const handle = async (visit: ConsoleVisit): Promise<FastifyReply> => {
    const { reply, request, operator } = visit;
    if (ownForm(deps, visit) === undefined) return sendNotice(deps, reply, "form", operator);
    await deps.sessions.end(operator.cookie);
    deps.audit.record({ event: "console.sign_out", outcome: "ok", actor: operator.account, ...originOf(request) });
    reply.header("set-cookie", deps.cookies.set("session", ""));
    return sendNotice(deps, reply, "signed_out");
  };
  return forOperator(deps, { route: "consoleSignOut", handle });
}
