import { homePage } from "../pages/templates/notices.ts";
import { cookieNames } from "../sessions/cookies.ts";
import type { LoginDeps } from "./login/deps.ts";
import type { VisitHandler } from "./page-routes.ts";
import { lookOf, sendShown, sendTo } from "./visit.ts";

/** `GET /mfa/register/home`: without a session a self-service flow begins. */
export function getHome({ pages, sessions, starts }: Pick<LoginDeps, "pages" | "sessions" | "starts">): VisitHandler {
  return async (visit) => {
    const { request, reply, path, language } = visit;
    const sid = pages.cookies.read(request.headers.cookie, cookieNames.session);
    const session = sid === undefined ? undefined : await sessions.findBySid(sid);
    if (session === undefined) {
      const returnTo = language === undefined ? path : `${path}/${language.tag}`;
      const flow = { returnTo, languageTag: language?.tag };
      return sendTo(reply, await starts.startSelfService(request.raw, reply.raw, flow));
    }
    const view = { account: session.displayName ?? session.account, signOut: "/logout" };
    return sendShown(reply, pages.show(homePage, view, lookOf(pages, visit)));
  };
}
