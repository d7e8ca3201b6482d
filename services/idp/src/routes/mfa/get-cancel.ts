import { pathTo } from "@postern/shared/contracts";
import { cookieNames } from "../../sessions/cookies.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { noteBrowserState, sendTo, setCookie } from "../visit.ts";
import { waitingFlow } from "./enrolled.ts";

import { forMember, here, homePath } from "./member.ts";

/** `GET /mfa/register/cancel`: cancels the waiting sign-in and ends its session. */
export function getCancel(deps: LoginDeps): VisitHandler {
  const { sessions, onEnded } = deps;
  return forMember(deps, async (visit, member) => {
    const flow = await waitingFlow(deps, visit, member);
    if (flow === undefined) return sendTo(visit.reply, here(visit, homePath));
    const ended = await sessions.end(member.session.uid);
    if (ended !== undefined) await onEnded(ended);
    setCookie(visit.reply, deps.pages.cookies.set(cookieNames.session, "", 0));
    noteBrowserState(deps.pages, visit, undefined);
    return sendTo(visit.reply, here(visit, pathTo("loggedOutPage")));
  });
}
