import { readCsrfToken } from "../../flow/browser-binding.ts";
import { readLogoutRequest } from "../../oidc/logout/logout-request.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import type { VisitHandler } from "../page-routes.ts";
import { sendTo } from "../visit.ts";
import { withoutEmpty } from "./form.ts";
import { carried, type LogoutDeps, placeAfter, refuse, type Seen, sessionOf, signOut } from "./sign-out.ts";

/** Fields that a client's own form may contain. */
const requestFields = [...carried, "id_token_hint", "ui_locales"] as const;

/** Longest query of the GET that a form becomes: the limit of browsers and proxies for a request line. */
const longestQuery = 16_384;

/** `POST`: the confirmation; a client's own form becomes a GET, with which the browser sends its cookies. */
export function postLogout(deps: LogoutDeps): VisitHandler {
  return async (visit) => {
    const seen: Seen = { ...deps, visit };
    const { form, pages } = { ...visit, ...deps };
    const fields = requestFields.flatMap((name) => form.all(name).map((value): [string, string] => [name, value]));
    const query = withoutEmpty(new URLSearchParams(fields));
    if (form.all("csrf_token").length === 0) {
      if (readLogoutRequest(query) === undefined || query.toString().length > longestQuery)
        return refuse(seen, "a parameter is repeated or too long");
      return sendTo(visit.reply, `${visit.path}${query.size === 0 ? "" : `?${query.toString()}`}`);
    }
    const request = readLogoutRequest(query);
    const session = await sessionOf(seen);
    const browserToken = pages.cookies.read(visit.request.headers.cookie, cookieNames.flow);
    const subject = readCsrfToken(form.one("csrf_token"), browserToken);
    if (request === undefined || subject === undefined) return refuse(seen, "the form was not issued to this browser");
    // The page asked about another session.
    if (session !== undefined && subject !== session.uid) return refuse(seen, "the form belongs to another session");
    const decided = await deps.decide(request, session);
    if (decided.decision === "invalid") return refuse(seen, decided.why, request);
    return signOut(seen, session, placeAfter(decided, visit));
  };
}
