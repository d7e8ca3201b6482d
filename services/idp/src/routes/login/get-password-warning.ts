import { pathTo } from "@postern/shared/contracts";
import { passwordWarningPage } from "../../pages/templates/password-warning.ts";
import type { VisitHandler } from "../page-routes.ts";
import { admit, hrefIn, lookOf, sendProblem, sendShown } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";

/** `GET /login/password`: the sign-in is complete and continues from this page. */
export function getPasswordWarning(deps: Pick<LoginDeps, "pages" | "gate">): VisitHandler {
  const { pages } = deps;
  return async (visit) => {
    const passage = await admit(deps, visit, ["ready"]);
    if (passage === undefined) return visit.reply;
    const { flow } = passage;
    const warning = flow.pending?.passwordWarning;
    if (warning === undefined) return sendProblem(pages, visit, "expired", { flow });
    const view = { ...warning, next: hrefIn(pathTo("loginPage"), visit, flow) };
    return sendShown(visit.reply, pages.show(passwordWarningPage, view, lookOf(pages, visit, flow)));
  };
}
