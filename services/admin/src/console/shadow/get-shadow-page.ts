import { pathTo, ShadowReport } from "@postern/shared/contracts";
import { differenceKinds } from "@postern/shared/domain/shadow";
import { AppError } from "@postern/shared/platform/errors";
import type { FastifyReply } from "fastify";
import { createReadAnswer } from "../api-answer.ts";
import { ownForm } from "../console-form.ts";
import { type ConsoleVisit, forOperator, goTo, queryOf, sendNotice, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { linksOf } from "../shown-values.ts";
import { shadowPage } from "./shadow-page.ts";

const readReport = createReadAnswer(ShadowReport);
const cursorForm = /^\d{1,15} [\w -]{1,128}$/u;

/** `GET /console/shadow`; with `kind`, only differences of one kind. */
export function getShadowPage(deps: ConsolePagesDeps) {
  const { ask, handles } = deps;
  const handle = async ({ request, reply, operator }: ConsoleVisit): Promise<FastifyReply> => {
    const [wanted, cursor] = [queryOf(request, "kind"), queryOf(request, "cursor")];
    const kind = differenceKinds.find((known) => known === wanted);
    if (kind !== wanted || (cursor !== undefined && !cursorForm.test(cursor)))
      return sendNotice(deps, reply, "not_found", operator);
    const query = { ...(kind !== undefined && { kind }), ...(cursor !== undefined && { cursor }) };
    const report = await readReport(ask, operator, { operation: "showShadowReport", query });
    const view = { report, kind, operator, links: linksOf(handles, operator) };
    return sendPage(deps, reply, shadowPage(view), operator);
  };
  return forOperator(deps, { route: "consoleShadow", handle });
}

/** `POST /console/shadow/reset` */
export function postShadowReset(deps: ConsolePagesDeps) {
  const handle = async (visit: ConsoleVisit): Promise<FastifyReply> => {
    const { reply, operator } = visit;
    if (ownForm(deps, visit) === undefined) return sendNotice(deps, reply, "form", operator);
    if (!operator.isRoleCurrent)
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "the operator's role is unknown" });
    const { status } = await deps.ask(operator, { operation: "resetShadowReport" });
    if (status !== 204) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `resetShadowReport returned ${status}` });
    return goTo(reply, pathTo("consoleShadow"));
  };
  return forOperator(deps, { route: "consoleShadowReset", handle });
}
