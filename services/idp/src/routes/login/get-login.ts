import { cookieNames } from "../../sessions/cookies.ts";
import type { VisitHandler } from "../page-routes.ts";
import { admit, lookOf, type Visit } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";
import { showLogin, suggestedName } from "./show-login.ts";
import { sendCompletion } from "./signed-in.ts";

/** `GET /login`: shows the form, or continues a sign-in that is already complete. */
export function getLogin(deps: LoginDeps): VisitHandler {
  return async (visit: Visit) => {
    const passage = await admit(deps, visit, ["login", "ready"]);
    if (passage === undefined) return visit.reply;
    const { flow, browserToken } = passage;
    if (flow.state === "login") {
      const problem = flow.hasFailed === true ? lookOf(deps.pages, visit, flow).text("login.failed") : undefined;
      const reference = flow.failedReference;
      const username = suggestedName(flow);
      return showLogin(deps, visit, { flow, browserToken, username, remember: false, problem, reference });
    }
    const sid = deps.pages.cookies.read(visit.request.headers.cookie, cookieNames.session);
    const session = sid === undefined ? undefined : await deps.sessions.findBySid(sid);
    return sendCompletion(deps, visit, flow, await deps.completeSignIn.resume(flow, session));
  };
}
