import { pathTo } from "@postern/shared/contracts";
import { codesLowPage } from "../../pages/templates/codes-low.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import type { VisitHandler } from "../page-routes.ts";
import { admit, callContext, hrefIn, lookOf, sendProblem, sendShown } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";

/** `GET /login/codes`: the sign-in is complete and continues from this page. */
export function getCodesLow(deps: LoginDeps): VisitHandler {
  const { pages, sessions, factors, decisionTimeoutMs } = deps;
  return async (visit) => {
    const passage = await admit(deps, visit, ["ready"]);
    if (passage === undefined) return visit.reply;
    const { flow } = passage;
    const sid = pages.cookies.read(visit.request.headers.cookie, cookieNames.session);
    const session = sid === undefined ? undefined : await sessions.findBySid(sid);
    if (session === undefined || session.uid !== flow.sessionUid) return sendProblem(pages, visit, "expired", { flow });
    const context = callContext(visit, decisionTimeoutMs());
    const { recoveryCodesLeft: left } = await factors.enrolled(session.account, context);
    const view = { left, make: pathTo("recoveryCodesPage"), next: hrefIn(pathTo("loginPage"), visit, flow) };
    return sendShown(visit.reply, pages.show(codesLowPage, view, lookOf(pages, visit, flow)));
  };
}
