import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import type { ReadMessage } from "../../saml/inbound/read-message.ts";
import type { NamedLogout } from "../../saml/logout/logout.ts";
import { logoutTransactionPath } from "../../saml/logout/logout-transaction.ts";
import type { BrowserBinding } from "../../saml/logout-endpoints.ts";
import { namingSender } from "../../saml/protocol/refusal.ts";
import type { Provider } from "../../saml/providers.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import { auditVisit } from "../audit-visit.ts";
import type { VisitHandler } from "../page-routes.ts";
import { sendProblem, sendTo, type Visit } from "../visit.ts";
import { refusing, sessionOf } from "./answers.ts";
import type { SamlRoutesDeps } from "./deps.ts";
import { sendAnswer } from "./logout-transaction.ts";

export const names = ["LogoutRequest", "LogoutResponse"] as const;

interface Received {
  readonly read: ReadMessage<Provider>;
  readonly binding: BrowserBinding;
}

async function accept(
  deps: SamlRoutesDeps,
  visit: Visit,
  named: NamedLogout,
  session: BrowserSessionRecord | undefined,
): Promise<FastifyReply> {
  const logout = await deps.logout.accept(named, session);
  auditVisit(deps.audit, visit.request, {
    event: "session.end",
    outcome: logout.isKnown ? "ok" : "failed",
    actor: logout.end.entityId,
    target: session?.account,
    reason: "saml",
  });
  const view =
    logout.transactionId === undefined ? undefined : await deps.endLogoutTransaction.find(logout.transactionId);
  return logout.transactionId !== undefined && view?.states.includes("asking") === true
    ? sendTo(visit.reply, logoutTransactionPath(logout.transactionId))
    : sendAnswer(deps, visit, logout, view);
}

/**
 * Another site's form arrives without our Lax cookies. If the request identifies no session, the browser is redirected to
 * repeat it by GET.
 */
async function begin(deps: SamlRoutesDeps, visit: Visit, { read, binding }: Received): Promise<FastifyReply> {
  const named = await deps.logout.receive(read, binding);
  const session = await sessionOf(deps, visit);
  if (binding === "redirect" || session !== undefined || named.sessionIndexes.length > 0)
    return accept(deps, visit, named, session);
  const request = await deps.waitingLogouts.save(named);
  return sendTo(visit.reply, `${pathTo("samlLogout")}?${new URLSearchParams({ request }).toString()}`);
}

/** A request that the same browser has posted before; now its cookies are there. */
export async function repeat(deps: SamlRoutesDeps, visit: Visit, id: string): Promise<FastifyReply> {
  const named = await deps.waitingLogouts.take(id);
  if (named === undefined) return sendProblem(deps.pages, visit, "expired");
  return accept(deps, visit, named, await sessionOf(deps, visit));
}

/** A response in a frame of the page is not visible; a response as a page redirects to the logout transaction. */
async function receive(deps: SamlRoutesDeps, { reply }: Visit, { read }: Received): Promise<FastifyReply> {
  const { isFramed, journeyId: transactionId } = await deps.frontChannel.receive(read);
  return isFramed ? reply.code(204).send() : sendTo(reply, logoutTransactionPath(transactionId));
}

export function take(deps: SamlRoutesDeps, visit: Visit, received: Received): Promise<FastifyReply> {
  const { name, sender } = received.read;
  return namingSender(
    () => sender.entityId,
    () => (name === "LogoutRequest" ? begin(deps, visit, received) : receive(deps, visit, received)),
  );
}

export function guarded(deps: SamlRoutesDeps, handler: VisitHandler): VisitHandler {
  return refusing(deps, async (visit) =>
    deps.settings().saml.slo.enabled ? handler(visit) : sendProblem(deps.pages, visit, "not_found"),
  );
}
