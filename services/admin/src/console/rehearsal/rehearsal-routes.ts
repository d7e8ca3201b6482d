import { pathTo, RehearsalReport, RehearsalRun } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck } from "@postern/shared/platform/http";
import type { Html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import type { ApiAnswer } from "../../operators/operator-api.ts";
import { t } from "../../texts/texts.ts";
import { carryOut, createReadAnswer } from "../api-answer.ts";
import { type ConsoleVisit, checkRole, goTo, type PageAnswer } from "../console-visit.ts";
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

async function show(deps: ConsolePagesDeps, { operator }: ConsoleVisit, shown: Shown): Promise<PageAnswer> {
  return rehearsalPage({ ...shown, run: await runFor(deps, operator), operator });
}

/** `GET /console/rehearsal`: the rehearsal that runs or ran last, and the forms. */
export async function getRehearsal(deps: ConsolePagesDeps, visit: ConsoleVisit): Promise<PageAnswer> {
  return show(deps, visit, { answer: "none" });
}

/** `GET /console/rehearsal/events` */
export function getRehearsalEvents(deps: ConsolePagesDeps) {
  return getEvents(deps, {
    page: "rehearsal",
    render: async (operator) => liveRehearsal((await runFor(deps, operator)) ?? { state: "none" }, operator),
  });
}

/** `POST /console/rehearsal`: the result that the form contains. It names accounts, and is therefore no part of the address. */
export async function postRehearsal(
  deps: ConsolePagesDeps,
  visit: ConsoleVisit,
  form: URLSearchParams,
): Promise<PageAnswer> {
  return show(deps, visit, { answer: readReport(form.get("report") ?? "") });
}

/** @throws AppError for an answer without a reason that the page knows */
function refusalOf({ status, body }: ApiAnswer): Html {
  const error: unknown = Object(body).error;
  for (const key of refusalKeys) if (refusals[key] === error) return t(`rehearsal.${key}`);
  if (status === 400) return t("rehearsal.too_long");
  throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `startRehearsal returned ${status}` });
}

/** `POST /console/rehearsal/start` */
export async function postRehearsalStart(
  deps: ConsolePagesDeps,
  visit: ConsoleVisit,
  form: URLSearchParams,
): Promise<PageAnswer> {
  const { reply, operator } = visit;
  checkRole(operator);
  const [configuration, last] = [form.get("configuration") ?? "", form.get("last") ?? ""];
  const period = Object.entries(periods).find(([name]) => name === last)?.[1];
  const since = period?.ms === undefined ? {} : { since: new Date(deps.clock.now() - period.ms).toISOString() };
  const body = { configuration: configuration.replaceAll("\r\n", "\n"), ...since };
  const answer = await deps.ask(operator, { operation: "startRehearsal", body });
  if (answer.status === 202) return goTo(reply, pathTo("consoleRehearsal"));
  return show(deps, visit, { answer: "none", refusal: refusalOf(answer) });
}

/** `POST /console/rehearsal/cancel` */
export async function postRehearsalCancel({ ask }: ConsolePagesDeps, visit: ConsoleVisit): Promise<PageAnswer> {
  const { reply, operator } = visit;
  await carryOut(ask, operator, { operation: "cancelRehearsal" });
  return goTo(reply, pathTo("consoleRehearsal"));
}
