import { factorStates } from "../../flow/flow-table.ts";
import type { VisitHandler } from "../page-routes.ts";
import { admit, sendOn } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";

/** `POST /login/cancel`: reports to the application that the user cancelled. */
export function postCancel(deps: LoginDeps): VisitHandler {
  const { pages, completeSignIn, logger } = deps;
  return async (visit) => {
    const passage = await admit(deps, visit, ["login", ...factorStates]);
    if (passage === undefined) return visit.reply;
    const { flow } = passage;
    const ending = await completeSignIn.cancel(flow);
    logger.info({ session: visit.request.caller?.session, client: flow.client?.id }, "sign-in cancelled by the user");
    return sendOn(pages, visit, "expired" in ending ? undefined : ending.redirect, flow);
  };
}
