import { pathTo } from "@postern/shared/contracts";
import { readUtf8Form } from "@postern/shared/platform/http";
import type { FastifyReply } from "fastify";
import { csrfToken, isBrowserToken, newBrowserToken } from "../../flow/browser-binding.ts";
import { readLogoutRequest } from "../../oidc/logout/logout-request.ts";
import { formTargetOf } from "../../pages/policy-sources.ts";
import { logoutPage } from "../../pages/templates/notices.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import type { VisitHandler } from "../page-routes.ts";
import { sendShown, setCookie } from "../visit.ts";
import { queryOf, withoutEmpty } from "./form.ts";
import { carried, type LogoutDeps, lookOf, placeAfter, refuse, type Seen, sessionOf, signOut } from "./sign-out.ts";

/** The confirmation page; its form is valid only in this browser and for this session. */
function askUser(
  seen: Seen,
  session: BrowserSessionRecord,
  confirmation: { readonly query: URLSearchParams; readonly clientId: string | undefined; readonly place: string },
): FastifyReply {
  const { visit, pages } = seen;
  const { query, clientId, place } = confirmation;
  const kept = pages.cookies.read(visit.request.headers.cookie, cookieNames.flow);
  const browserToken = isBrowserToken(kept) ? kept : newBrowserToken();
  if (browserToken !== kept) setCookie(visit.reply, pages.cookies.set(cookieNames.flow, browserToken));
  const fields = new Map(carried.flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? ""]] : [])));
  if (clientId !== undefined) fields.set("client_id", clientId);
  const view = {
    action: visit.language === undefined ? visit.path : `${visit.path}/${visit.language.tag}`,
    csrfToken: csrfToken(session.uid, browserToken),
    account: session.displayName ?? session.account,
    stay: pathTo("registrationHome"),
    fields: Object.fromEntries(fields),
  };
  const target = formTargetOf(place);
  const formTargets = target === undefined ? [] : [target];
  return sendShown(visit.reply, pages.show(logoutPage, view, lookOf(seen, query), { formTargets }));
}

/**
 * `GET /oidc/logout`, `GET /logout` (RP-Initiated Logout 1.0 §2): a valid hint of this browser's user ends the session
 * immediately; otherwise the user must confirm, so that another site's page cannot sign users out.
 */
export function getLogout(deps: LogoutDeps): VisitHandler {
  return async (visit) => {
    const seen: Seen = { ...deps, visit };
    const query = withoutEmpty(readUtf8Form(queryOf(visit.request.raw.url)));
    const request = readLogoutRequest(query);
    if (request === undefined) return refuse(seen, "a parameter is repeated or too long");
    const session = await sessionOf(seen);
    const decided = await deps.decide(request, session);
    if (decided.decision === "invalid") return refuse(seen, decided.why, request);
    const place = placeAfter(decided, visit);
    if (decided.decision === "end" || session === undefined) return signOut(seen, session, place);
    return askUser(seen, session, { query, clientId: decided.clientId, place });
  };
}
