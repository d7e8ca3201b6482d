import { RehearsalReport } from "@postern/shared/contracts";
import { compileCheck } from "@postern/shared/platform/http";
import type { FastifyReply } from "fastify";
import { ownForm } from "../console-form.ts";
import { type ConsoleVisit, forOperator, sendNotice, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { maxReportLength, type RehearsalAnswer, rehearsalPage } from "./rehearsal-page.ts";

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

/** `GET /console/rehearsal`: the form. */
export function getRehearsal(deps: ConsolePagesDeps) {
  const handle = async ({ reply, operator }: ConsoleVisit): Promise<FastifyReply> =>
    sendPage(deps, reply, rehearsalPage({ answer: "none", operator }), operator);
  return forOperator(deps, { route: "consoleRehearsal", handle });
}

/** `POST /console/rehearsal`: the result that the form contains. It names accounts, and is therefore no part of the address. */
export function postRehearsal(deps: ConsolePagesDeps) {
  const handle = async (visit: ConsoleVisit): Promise<FastifyReply> => {
    const { reply, operator } = visit;
    const form = ownForm(deps, visit);
    if (form === undefined) return sendNotice(deps, reply, "form", operator);
    const answer = readReport(form.get("report") ?? "");
    return sendPage(deps, reply, rehearsalPage({ answer, operator }), operator);
  };
  return forOperator(deps, { route: "consoleRehearsalShow", handle });
}
