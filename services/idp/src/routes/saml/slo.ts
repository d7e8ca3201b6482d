import type { FastifyReply } from "fastify";
import type { ReadMessage } from "../../saml/inbound/read-message.ts";
import type { Binding } from "../../saml/logout/respond.ts";
import { statusCodes } from "../../saml/names.ts";
import type { Provider } from "../../saml/providers.ts";
import { auditVisit } from "../audit-visit.ts";
import type { VisitHandler } from "../page-routes.ts";
import { sendProblem, sendTo, type Visit } from "../visit.ts";
import { refusing, sendPosted, sessionOf } from "./answers.ts";
import type { SamlRoutesDeps } from "./deps.ts";
import { readForm, readQuery } from "./read-visit.ts";

async function answer(
  deps: SamlRoutesDeps,
  visit: Visit,
  { read, binding }: { readonly read: ReadMessage<Provider>; readonly binding: Binding },
): Promise<FastifyReply> {
  const { logout, metrics, logger, audit } = deps;
  const session = await sessionOf(deps, visit);
  const { next, provider, status, untold } = await logout.answer(read, { binding, session });
  const isDone = status.code === statusCodes.success;
  metrics.loggedOut(isDone ? "success" : "failure");
  auditVisit(audit, visit.request, {
    event: "session.end",
    outcome: isDone ? "ok" : "failed",
    actor: provider.entityId,
    target: session?.account,
    reason: "saml",
  });
  const caller = visit.request.caller?.session;
  const told = status.detail ?? status.code;
  logger.info({ session: caller, client: provider.entityId, status: told, untold }, "SAML logout answered");
  switch (next.step) {
    case "post":
      return sendPosted(deps, visit, next);
    case "redirect":
      return sendTo(visit.reply, next.location);
    case "done":
      return sendTo(visit.reply, "/logged_out");
  }
}

function guarded(deps: SamlRoutesDeps, handler: VisitHandler): VisitHandler {
  return refusing(deps, async (visit) =>
    deps.settings().saml.slo.enabled ? handler(visit) : sendProblem(deps.pages, visit, "not_found"),
  );
}

/** `GET /saml/slo`: a logout request by the Redirect binding. */
export function getSlo(deps: SamlRoutesDeps): VisitHandler {
  return guarded(deps, (visit) =>
    answer(deps, visit, { read: readQuery(deps, visit, ["LogoutRequest"]), binding: "redirect" }),
  );
}

/** `POST /saml/slo`: by the POST binding; the session index says which session is meant. */
export function postSlo(deps: SamlRoutesDeps): VisitHandler {
  return guarded(deps, (visit) =>
    answer(deps, visit, { read: readForm(deps, visit, ["LogoutRequest"]), binding: "post" }),
  );
}
