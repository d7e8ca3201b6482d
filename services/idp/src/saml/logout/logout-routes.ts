import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { VisitHandler } from "../../visit/page-routes.ts";
import { auditVisit, sendProblem, sendTo, sessionOf, type Visit } from "../../visit/visit.ts";
import { namingSender } from "../protocol/refusal.ts";
import type { Provider } from "../providers.ts";
import { readForm, readQuery, refusing, type SamlRoutesDeps } from "../saml-visit.ts";
import type { ReadMessage } from "../xml/verify-message.ts";
import type { BrowserBinding } from "./logout-endpoints.ts";
import { logoutTransactionPath } from "./logout-transaction.ts";
import { sendAnswer, showLogoutTransaction } from "./logout-transaction-page.ts";
import type { NamedLogout } from "./logout-transactions-redis.ts";

const names = ["LogoutRequest", "LogoutResponse"] as const;

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
async function repeat(deps: SamlRoutesDeps, visit: Visit, id: string): Promise<FastifyReply> {
  const named = await deps.waitingLogouts.take(id);
  if (named === undefined) return sendProblem(deps.pages, visit, "expired");
  return accept(deps, visit, named, await sessionOf(deps, visit));
}

/** A response in a frame of the page is not visible; a response as a page redirects to the logout transaction. */
async function receive(deps: SamlRoutesDeps, { reply }: Visit, { read }: Received): Promise<FastifyReply> {
  const { isFramed, journeyId: transactionId } = await deps.frontChannel.receive(read);
  return isFramed ? reply.code(204).send() : sendTo(reply, logoutTransactionPath(transactionId));
}

function take(deps: SamlRoutesDeps, visit: Visit, received: Received): Promise<FastifyReply> {
  const { name, sender } = received.read;
  return namingSender(
    () => sender.entityId,
    () => (name === "LogoutRequest" ? begin(deps, visit, received) : receive(deps, visit, received)),
  );
}

function guarded(deps: SamlRoutesDeps, handler: VisitHandler): VisitHandler {
  return refusing(deps, async (visit) =>
    deps.settings().saml.slo.enabled ? handler(visit) : sendProblem(deps.pages, visit, "not_found"),
  );
}

/**
 * `GET /saml/slo`: a message of the Redirect binding; with `request`, one that was verified before; with `logout`, the page
 * of a logout transaction.
 */
export function getSlo(deps: SamlRoutesDeps): VisitHandler {
  return guarded(deps, async (visit) => {
    const transaction = visit.query("logout");
    if (transaction !== undefined) return showLogoutTransaction(deps, visit, transaction);
    const waiting = visit.query("request");
    if (waiting !== undefined) return repeat(deps, visit, waiting);
    return take(deps, visit, { read: await readQuery(deps, visit, names), binding: "redirect" });
  });
}

/** `POST /saml/slo`: a message of the POST binding; a session index identifies the session. */
export function postSlo(deps: SamlRoutesDeps): VisitHandler {
  return guarded(deps, async (visit) =>
    take(deps, visit, { read: await readForm(deps, visit, names), binding: "post" }),
  );
}
