import { pathTo, RehearsalReport, RehearsalRun } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck } from "@postern/shared/platform/http";
import type { Html } from "@postern/shared/platform/pages";
import type { FastifyReply } from "fastify";
import type { Operator } from "../../operators/operator.ts";
import type { ApiAnswer } from "../../operators/operator-api.ts";
import { t } from "../../texts/texts.ts";
import { createReadAnswer } from "../api-answer.ts";
import { ownForm } from "../console-form.ts";
import { type ConsoleVisit, forOperator, goTo, sendNotice, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { getEvents } from "../get-events.ts";
import { refusalKeys, refusals } from "./rehearsal-api.ts";
import { maxReportLength, type RehearsalAnswer, type RehearsalView, rehearsalPage } from "./rehearsal-page.ts";
import { liveRehearsal, periods } from "./rehearsal-run.ts";

const check = compileCheck(RehearsalReport);

/** What an operator pasted. It may be anything. */
export function readReport(pasted: string): RehearsalAnswer {
  // Browsers send the end of a line as two characters.
  const text = pasted.replaceAll("\r\n", "\n");
  if (text.length > maxReportLength) return "invalid";
  try {
    const value: unknown = JSON.parse(text);
    return check.accepts(value) ? value : "invalid";
  } catch {
    return "invalid";
  }
}

const readRun = createReadAnswer(RehearsalRun);

/** Undefined if there is no decision history to rehearse with. */
const runFor = ({ ask }: ConsolePagesDeps, operator: Operator): Promise<RehearsalRun | undefined> =>
  readRun(ask, operator, { operation: "showRehearsal" });

type Shown = Pick<RehearsalView, "answer" | "refusal">;

async function show(deps: ConsolePagesDeps, { reply, operator }: ConsoleVisit, shown: Shown): Promise<FastifyReply> {
  const run = await runFor(deps, operator);
  return sendPage(deps, reply, rehearsalPage({ ...shown, run, operator }), operator);
}

/** `GET /console/rehearsal`: the rehearsal that runs or ran last, and the forms. */
export function getRehearsal(deps: ConsolePagesDeps) {
  return forOperator(deps, { route: "consoleRehearsal", handle: (visit) => show(deps, visit, { answer: "none" }) });
}

/** `GET /console/rehearsal/events` */
export function getRehearsalEvents(deps: ConsolePagesDeps) {
  return getEvents(deps, {
    page: "rehearsal",
    render: async (operator) => liveRehearsal((await runFor(deps, operator)) ?? { state: "none" }, operator),
  });
}

/** `POST /console/rehearsal`: the result that the form contains. It names accounts, and is therefore no part of the address. */
export function postRehearsal(deps: ConsolePagesDeps) {
  const handle = async (visit: ConsoleVisit): Promise<FastifyReply> => {
    const form = ownForm(deps, visit);
    if (form === undefined) return sendNotice(deps, visit.reply, "form", visit.operator);
    return show(deps, visit, { answer: readReport(form.get("report") ?? "") });
  };
  return forOperator(deps, { route: "consoleRehearsalShow", handle });
}

/** @throws AppError for an answer without a reason that the page knows */
function refusalOf({ status, body }: ApiAnswer): Html {
  const error: unknown = Object(body).error;
  for (const key of refusalKeys) if (refusals[key] === error) return t(`rehearsal.${key}`);
  if (status === 400) return t("rehearsal.too_long");
  throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `startRehearsal returned ${status}` });
}

function checkRole({ isRoleCurrent }: Operator): void {
  if (!isRoleCurrent) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "the operator's role is unknown" });
}

/** `POST /console/rehearsal/start` */
export function postRehearsalStart(deps: ConsolePagesDeps) {
  const handle = async (visit: ConsoleVisit): Promise<FastifyReply> => {
    const { reply, operator } = visit;
    const form = ownForm(deps, visit);
    if (form === undefined) return sendNotice(deps, reply, "form", operator);
    checkRole(operator);
    const [configuration, last] = [form.get("configuration") ?? "", form.get("last") ?? ""];
    const period = Object.entries(periods).find(([name]) => name === last)?.[1];
    const since = period?.ms === undefined ? {} : { since: new Date(deps.clock.now() - period.ms).toISOString() };
    const body = { configuration: configuration.replaceAll("\r\n", "\n"), ...since };
    const answer = await deps.ask(operator, { operation: "startRehearsal", body });
    if (answer.status === 202) return goTo(reply, pathTo("consoleRehearsal"));
    return show(deps, visit, { answer: "none", refusal: refusalOf(answer) });
  };
  return forOperator(deps, { route: "consoleRehearsalStart", handle });
}

/** `POST /console/rehearsal/cancel` */
export function postRehearsalCancel(deps: ConsolePagesDeps) {
  const handle = async (visit: ConsoleVisit): Promise<FastifyReply> => {
    const { reply, operator } = visit;
    if (ownForm(deps, visit) === undefined) return sendNotice(deps, reply, "form", operator);
    checkRole(operator);
    const { status } = await deps.ask(operator, { operation: "cancelRehearsal" });
    if (status !== 204) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `cancelRehearsal returned ${status}` });
    return goTo(reply, pathTo("consoleRehearsal"));
  };
  return forOperator(deps, { route: "consoleRehearsalCancel", handle });
}
