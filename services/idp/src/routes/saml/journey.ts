import type { FastifyReply } from "fastify";
import { formTargetOf } from "../../pages/security-headers.ts";
import { partlySignedOutPage, signingOutPage } from "../../pages/templates/single-logout.ts";
import type { JourneyView } from "../../saml/logout/end-journey.ts";
import { journeyPath, type ServiceState } from "../../saml/logout/journey.ts";
import type { AskedLogout } from "../../saml/logout/logout.ts";
import { lookOf, sendProblem, sendShown, sendTo, type Visit } from "../visit.ts";
import { sendPosted } from "./answers.ts";
import type { SamlRoutesDeps } from "./deps.ts";

function nameOf({ providers }: SamlRoutesDeps, entityId: string): string {
  const name = providers().find(entityId)?.config.name ?? "";
  return name === "" ? entityId : name;
}

function frameTargets({ providers }: SamlRoutesDeps, { journey, states }: JourneyView): readonly string[] {
  const asked = journey.services.filter(({ channel }, index) => channel === "browser" && states[index] === "asking");
  const origins = asked.flatMap(({ entityId }) => formTargetOf(providers().find(entityId)?.config.slo_url) ?? []);
  return [...new Set(origins)];
}

function showProgress(deps: SamlRoutesDeps, visit: Visit, id: string, view: JourneyView): FastifyReply {
  const { pages, clock } = deps;
  const services = view.journey.services.map(({ entityId, channel }, index) => {
    const state = view.states[index] ?? "asking";
    const isFramed = channel === "browser" && state === "asking";
    const frame = isFramed ? journeyPath(id, { to: String(index) }) : undefined;
    return { name: nameOf(deps, entityId), state, frame };
  });
  const self = journeyPath(id);
  const seconds = Math.max(1, Math.ceil((view.journey.deadlineMs - clock.now()) / 1000));
  visit.reply.header("refresh", `${seconds}; url=${self}`);
  const look = lookOf(pages, { ...visit, path: "" });
  const shown = { self, services, script: pages.assets.signOut.path };
  return sendShown(visit.reply, pages.show(signingOutPage, shown, look, { frameTargets: frameTargets(deps, view) }));
}

const askable: ReadonlySet<ServiceState> = new Set(["no_answer", "refused"]);

interface Waiting {
  readonly id: string;
  readonly view: JourneyView;
}

function showRest(deps: SamlRoutesDeps, visit: Visit, { id, view }: Waiting, place: string): FastifyReply {
  const { pages } = deps;
  const services = view.journey.services.map(({ entityId, channel }, index) => {
    const state = view.states[index] === "asking" ? "no_answer" : (view.states[index] ?? "no_answer");
    const again =
      channel === "browser" && askable.has(state) ? journeyPath(id, { to: String(index), page: "1" }) : undefined;
    return { name: nameOf(deps, entityId), state, again };
  });
  const look = lookOf(pages, { ...visit, path: "" });
  return sendShown(visit.reply, pages.show(partlySignedOutPage, { services, next: place }, look));
}

/** The answer to the service provider that began. */
export async function sendAnswer(
  deps: SamlRoutesDeps,
  visit: Visit,
  asked: AskedLogout,
  view: JourneyView | undefined,
): Promise<FastifyReply> {
  const next = await deps.endJourney.answer(asked, view);
  switch (next.step) {
    case "post":
      return sendPosted(deps, visit, next);
    case "redirect":
      return sendTo(visit.reply, next.location);
    case "done":
      return sendTo(visit.reply, "/logged_out");
  }
}

async function goOn(deps: SamlRoutesDeps, visit: Visit, id: string, view: JourneyView): Promise<FastifyReply> {
  await deps.endJourney.noteEnd(id, view);
  const { end } = view.journey;
  if (end.to === "provider") return sendAnswer(deps, visit, { end, journeyId: id, isKnown: true }, view);
  const isWhole = view.states.every((state) => state === "done");
  return isWhole ? sendTo(visit.reply, end.place) : showRest(deps, visit, { id, view }, end.place);
}

/** The browser goes to a service provider with our request: in a frame of the page, or as a page. */
async function sendAround(deps: SamlRoutesDeps, visit: Visit, id: string, to: string): Promise<FastifyReply> {
  const index = /^\d{1,3}$/.test(to) ? Number(to) : -1;
  const isFramed = visit.query("page") === undefined;
  const address = await deps.frontChannel.addressFor(id, index, isFramed);
  if (address !== undefined) return sendTo(visit.reply, address);
  return isFramed ? visit.reply.code(204).send() : sendTo(visit.reply, journeyPath(id));
}

/** `GET /saml/slo?logout=…`: where a logout stands, the way to each service provider, and what comes after. */
export async function showJourney(deps: SamlRoutesDeps, visit: Visit, id: string): Promise<FastifyReply> {
  const to = visit.query("to");
  if (to !== undefined) return sendAround(deps, visit, id, to);
  const view = await deps.endJourney.find(id);
  if (view === undefined) return sendProblem(deps.pages, visit, "expired");
  const isOver = !view.states.includes("asking");
  if (visit.query("state") !== undefined) {
    return visit.reply.header("cache-control", "no-store").send({ states: view.states, over: isOver });
  }
  return isOver || visit.query("skip") !== undefined
    ? goOn(deps, visit, id, view)
    : showProgress(deps, visit, id, view);
}
