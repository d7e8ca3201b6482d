import type { FastifyReply } from "fastify";
import type { ReadMessage } from "../../saml/inbound/read-message.ts";
import { journeyPath } from "../../saml/logout/journey.ts";
import type { Binding } from "../../saml/logout/respond.ts";
import type { Provider } from "../../saml/providers.ts";
import { auditVisit } from "../audit-visit.ts";
import type { VisitHandler } from "../page-routes.ts";
import { sendProblem, sendTo, type Visit } from "../visit.ts";
import { refusing, sessionOf } from "./answers.ts";
import type { SamlRoutesDeps } from "./deps.ts";
import { sendAnswer, showJourney } from "./journey.ts";
import { readForm, readQuery } from "./read-visit.ts";

const names = ["LogoutRequest", "LogoutResponse"] as const;

interface Received {
  readonly read: ReadMessage<Provider>;
  readonly binding: Binding;
}

async function accept(deps: SamlRoutesDeps, visit: Visit, { read, binding }: Received): Promise<FastifyReply> {
  const session = await sessionOf(deps, visit);
  const asked = await deps.logout.accept(read, { binding, session });
  auditVisit(deps.audit, visit.request, {
    event: "session.end",
    outcome: asked.isKnown ? "ok" : "failed",
    actor: asked.end.entityId,
    target: session?.account,
    reason: "saml",
  });
  const view = asked.journeyId === undefined ? undefined : await deps.endJourney.find(asked.journeyId);
  return asked.journeyId !== undefined && view?.states.includes("asking") === true
    ? sendTo(visit.reply, journeyPath(asked.journeyId))
    : sendAnswer(deps, visit, asked, view);
}

/** What a frame of our page loaded stays there unseen; a page goes back to where the logout stands. */
async function receive(deps: SamlRoutesDeps, { reply }: Visit, { read }: Received): Promise<FastifyReply> {
  const { isFramed, journeyId } = await deps.frontChannel.receive(read);
  return isFramed ? reply.code(204).send() : sendTo(reply, journeyPath(journeyId));
}

function take(deps: SamlRoutesDeps, visit: Visit, received: Received): Promise<FastifyReply> {
  return received.read.name === "LogoutRequest" ? accept(deps, visit, received) : receive(deps, visit, received);
}

function guarded(deps: SamlRoutesDeps, handler: VisitHandler): VisitHandler {
  return refusing(deps, async (visit) =>
    deps.settings().saml.slo.enabled ? handler(visit) : sendProblem(deps.pages, visit, "not_found"),
  );
}

/** `GET /saml/slo`: a message by the Redirect binding, or, with `logout`, the page of a logout under way. */
export function getSlo(deps: SamlRoutesDeps): VisitHandler {
  return guarded(deps, async (visit) => {
    const journey = visit.query("logout");
    if (journey !== undefined) return showJourney(deps, visit, journey);
    return take(deps, visit, { read: await readQuery(deps, visit, names), binding: "redirect" });
  });
}

/** `POST /saml/slo`: by the POST binding; the session index says which session is meant. */
export function postSlo(deps: SamlRoutesDeps): VisitHandler {
  return guarded(deps, async (visit) =>
    take(deps, visit, { read: await readForm(deps, visit, names), binding: "post" }),
  );
}
