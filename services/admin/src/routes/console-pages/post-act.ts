import { type ConsoleActionId, isConsoleAction } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { reasonLength } from "../../pages/action-forms.ts";
import { ownForm } from "./console-form.ts";
import { pageWithin } from "./console-paths.ts";
import { type ConsoleVisit, forOperator, goTo, sendNotice } from "./console-visit.ts";
import type { ConsolePagesDeps } from "./deps.ts";

function actionOf({ request: { params } }: ConsoleVisit): ConsoleActionId | undefined {
  const id = String(Object(params).action);
  return isConsoleAction(id) ? id : undefined;
}

/** The page from which the form came, which names the action that was carried out. */
function withDone(next: string, id: ConsoleActionId): string {
  const url = new URL(next, "http://console");
  url.searchParams.set("done", id);
  return `${url.pathname}${url.search}`;
}

async function carryOut(
  deps: ConsolePagesDeps,
  { reply, operator }: ConsoleVisit,
  id: ConsoleActionId,
  form: URLSearchParams,
): Promise<FastifyReply> {
  const note = form.get("reason")?.trim() ?? "";
  const target = form.get("target")?.trim() ?? "";
  const isReason = note.length >= reasonLength.min && note.length <= reasonLength.max;
  if (!isReason || target === "") return sendNotice(deps, reply, "reason", operator);
  const outcome = await deps.act(operator, { id, target, note });
  const next = pageWithin(deps.origin, form.get("next"));
  if (outcome === "done") return goTo(reply, withDone(next, id));
  // The page shows how to sign in again.
  return outcome === "proof" ? goTo(reply, next) : sendNotice(deps, reply, outcome, operator);
}

/** `POST /console/actions/{action}` */
export function postAct(deps: ConsolePagesDeps) {
  return forOperator(deps, async (visit) => {
    const { reply, operator } = visit;
    const id = actionOf(visit);
    if (id === undefined) return sendNotice(deps, reply, "not_found", operator);
    const form = ownForm(deps, visit);
    return form === undefined ? sendNotice(deps, reply, "form", operator) : carryOut(deps, visit, id, form);
  });
}
