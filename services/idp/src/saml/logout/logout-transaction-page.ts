import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { formTargetOf } from "../../pages/policy-sources.ts";
import { partlySignedOutPage, type ServiceState, signingOutPage } from "../../pages/templates/single-logout.ts";
import { lookOf, sendProblem, sendShown, sendTo, type Visit } from "../../visit/visit.ts";
import { type SamlRoutesDeps, sendPosted } from "../saml-visit.ts";
import type { RequestedLogout } from "./logout.ts";
import { type LogoutTransactionView, logoutTransactionPath } from "./logout-transaction.ts";

function nameOf({ providers }: SamlRoutesDeps, entityId: string): string {
  const name = providers().find(entityId)?.config.name ?? "";
  return name === "" ? entityId : name;
}

function frameTargets(
  { providers }: SamlRoutesDeps,
  { transaction, states }: LogoutTransactionView,
): readonly string[] {
  const pending = transaction.services.filter(
    ({ channel }, index) => channel === "browser" && states[index] === "asking",
  );
  const origins = pending.flatMap(
    ({ entityId }) => formTargetOf(providers().find(entityId)?.logout.request?.location) ?? [],
  );
  return [...new Set(origins)];
}

function showProgress(deps: SamlRoutesDeps, visit: Visit, id: string, view: LogoutTransactionView): FastifyReply {
  const { pages, sharedClock } = deps;
  const services = view.transaction.services.map(({ entityId, channel }, index) => {
    const state = view.states[index] ?? "asking";
    const isFramed = channel === "browser" && state === "asking";
    const frame = isFramed ? logoutTransactionPath(id, { to: String(index) }) : undefined;
    return { name: nameOf(deps, entityId), state, frame };
  });
  const self = logoutTransactionPath(id);
  const seconds = Math.max(1, Math.ceil((view.transaction.deadlineMs - sharedClock.now()) / 1000));
  visit.reply.header("refresh", `${seconds}; url=${self}`);
  const look = lookOf(pages, { ...visit, path: "" });
  const shown = { self, services, script: pages.assets.signOut.path };
  return sendShown(visit.reply, pages.show(signingOutPage, shown, look, { frameTargets: frameTargets(deps, view) }));
}

const askable: ReadonlySet<ServiceState> = new Set(["no_answer", "refused"]);

function showRest(
  deps: SamlRoutesDeps,
  visit: Visit,
  id: string,
  { view, place }: { readonly view: LogoutTransactionView; readonly place: string },
): FastifyReply {
  const { pages } = deps;
  const services = view.transaction.services.map(({ entityId, channel }, index) => {
    const state = view.states[index] === "asking" ? "no_answer" : (view.states[index] ?? "no_answer");
    const again =
      channel === "browser" && askable.has(state)
        ? logoutTransactionPath(id, { to: String(index), page: "1" })
        : undefined;
    return { name: nameOf(deps, entityId), state, again };
  });
  const look = lookOf(pages, { ...visit, path: "" });
  return sendShown(visit.reply, pages.show(partlySignedOutPage, { services, next: place }, look));
}

/** The response to the service provider that started the logout. */
export async function sendAnswer(
  deps: SamlRoutesDeps,
  visit: Visit,
  logout: RequestedLogout,
  view: LogoutTransactionView | undefined,
): Promise<FastifyReply> {
  const next = await deps.endLogoutTransaction.answer(logout, view);
  if (next?.step === "post") return sendPosted(deps, visit, next);
  return sendTo(visit.reply, next?.location ?? pathTo("loggedOutPage"));
}

async function endTransaction(
  deps: SamlRoutesDeps,
  visit: Visit,
  id: string,
  view: LogoutTransactionView,
): Promise<FastifyReply> {
  await deps.endLogoutTransaction.noteEnd(id, view);
  const { end } = view.transaction;
  if (end.to === "provider") return sendAnswer(deps, visit, { end, transactionId: id, isKnown: true }, view);
  const isWhole = view.states.every((state) => state === "done");
  return isWhole ? sendTo(visit.reply, end.place) : showRest(deps, visit, id, { view, place: end.place });
}

/** Sends the browser to a service provider with our request, in a frame of the page or as a page. */
async function sendAround(deps: SamlRoutesDeps, visit: Visit, id: string, to: string): Promise<FastifyReply> {
  const index = /^\d{1,3}$/.test(to) ? Number(to) : -1;
  const isFramed = visit.query("page") === undefined;
  const request = await deps.frontChannel.requestFor(id, index, isFramed);
  if (request?.step === "redirect") return sendTo(visit.reply, request.location);
  if (request?.step === "post") return sendPosted(deps, visit, request, { isFramed });
  return isFramed ? visit.reply.code(204).send() : sendTo(visit.reply, logoutTransactionPath(id));
}

/**
 * `GET /saml/slo?logout=…`: the state of a logout transaction, the request to each service provider, and the redirect
 * at the end.
 */
export async function showLogoutTransaction(deps: SamlRoutesDeps, visit: Visit, id: string): Promise<FastifyReply> {
  const to = visit.query("to");
  if (to !== undefined) return sendAround(deps, visit, id, to);
  const view = await deps.endLogoutTransaction.find(id);
  if (view === undefined) return sendProblem(deps.pages, visit, "expired");
  const isOver = !view.states.includes("asking");
  if (visit.query("state") !== undefined) {
    return visit.reply.header("cache-control", "no-store").send({ states: view.states, over: isOver });
  }
  return isOver || visit.query("skip") !== undefined
    ? endTransaction(deps, visit, id, view)
    : showProgress(deps, visit, id, view);
}
