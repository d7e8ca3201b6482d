import type { FastifyReply } from "fastify";
import { csrfToken, isBrowserToken, newBrowserToken, readCsrfToken } from "../../flow/browser-binding.ts";
import type { SingleLogout } from "../../login/single-logout.ts";
import { type LogoutDecision, type LogoutRequest, readLogoutRequest } from "../../oidc/logout-request.ts";
import type { Look } from "../../pages/look.ts";
import { formTargetOf } from "../../pages/security-headers.ts";
import { logoutPage } from "../../pages/templates/notices.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import { auditVisit } from "../audit-visit.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { PageRoute, VisitHandler } from "../page-routes.ts";
import { sendProblem, sendShown, sendTo, setCookie, type Visit } from "../visit.ts";
import { queryOf, withoutEmpty } from "./form.ts";

export interface LogoutDeps extends Pick<LoginDeps, "pages" | "sessions" | "logger" | "audit"> {
  readonly decide: (request: LogoutRequest, session: BrowserSessionRecord | undefined) => Promise<LogoutDecision>;
  readonly singleLogout: Pick<SingleLogout, "leave">;
}

/** Fields of the request that the confirmation carries along; they are judged again. */
const carried = ["client_id", "post_logout_redirect_uri", "state"] as const;
/** What a client's own form may bring. */
const requestFields = [...carried, "id_token_hint", "ui_locales"] as const;

interface Seen extends LogoutDeps {
  readonly visit: Visit;
}

function sessionOf({ visit, pages, sessions }: Seen): Promise<BrowserSessionRecord | undefined> {
  const sid = pages.cookies.read(visit.request.headers.cookie, cookieNames.session);
  return sid === undefined ? Promise.resolve(undefined) : sessions.findBySid(sid);
}

function placeAfter({ returnTo }: Extract<LogoutDecision, { decision: "end" | "ask" }>, { language }: Visit): string {
  return returnTo ?? (language === undefined ? "/logged_out" : `/logged_out/${language.tag}`);
}

async function signOut(seen: Seen, session: BrowserSessionRecord | undefined, place: string): Promise<FastifyReply> {
  const { visit, pages, singleLogout, logger, audit } = seen;
  const next = session === undefined ? place : await singleLogout.leave(session, place);
  if (session !== undefined) {
    const who = { actor: session.account, target: session.account };
    auditVisit(audit, visit.request, { event: "session.end", outcome: "ok", ...who, reason: "logout" });
    logger.info({ session: visit.request.caller?.session, account: session.account }, "signed out");
  }
  setCookie(visit.reply, pages.cookies.set(cookieNames.session, "", 0));
  return sendTo(visit.reply, next);
}

function lookOf({ visit, pages }: Seen, query: URLSearchParams): Look {
  return pages.lookOf({
    path: visit.path,
    query: `?${query.toString()}`,
    language: visit.language,
    uiLocales: query.get("ui_locales") ?? undefined,
    headers: visit.request.headers,
  });
}

/** The page that asks: its form is this browser's and this session's, or it counts for nothing. */
function askUser(
  seen: Seen,
  session: BrowserSessionRecord,
  asked: { readonly query: URLSearchParams; readonly clientId: string | undefined; readonly place: string },
): FastifyReply {
  const { visit, pages } = seen;
  const { query, clientId, place } = asked;
  const kept = pages.cookies.read(visit.request.headers.cookie, cookieNames.flow);
  const browserToken = isBrowserToken(kept) ? kept : newBrowserToken();
  if (browserToken !== kept) setCookie(visit.reply, pages.cookies.set(cookieNames.flow, browserToken));
  const told = new Map(carried.flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? ""]] : [])));
  if (clientId !== undefined) told.set("client_id", clientId);
  const view = {
    action: visit.language === undefined ? visit.path : `${visit.path}/${visit.language.tag}`,
    csrfToken: csrfToken(session.uid, browserToken),
    account: session.displayName ?? session.account,
    stay: "/mfa/register/home",
    fields: Object.fromEntries(told),
  };
  const target = formTargetOf(place);
  const formTargets = target === undefined ? [] : [target];
  return sendShown(visit.reply, pages.show(logoutPage, view, lookOf(seen, query), { formTargets }));
}

function refuse({ visit, pages, logger }: Seen, why: string): FastifyReply {
  logger.info({ session: visit.request.caller?.session, why }, "logout refused");
  return sendProblem(pages, visit, "request");
}

/**
 * `GET /oidc/logout`, `GET /logout` (RP-Initiated Logout 1.0 §2): a good hint of this browser's user ends the session
 * at once; anything else asks the user first, so that no foreign page signs anybody out.
 */
function getLogout(deps: LogoutDeps): VisitHandler {
  return async (visit) => {
    const seen: Seen = { ...deps, visit };
    const query = withoutEmpty(new URLSearchParams(queryOf(visit.request.raw.url)));
    const request = readLogoutRequest(query);
    if (request === undefined) return refuse(seen, "a parameter came twice or is too long");
    const session = await sessionOf(seen);
    const decided = await deps.decide(request, session);
    if (decided.decision === "invalid") return refuse(seen, decided.why);
    const place = placeAfter(decided, visit);
    if (decided.decision === "end" || session === undefined) return signOut(seen, session, place);
    return askUser(seen, session, { query, clientId: decided.clientId, place });
  };
}

/** `POST`: the answer to that page; a client's own form becomes a GET, with which the browser sends its cookies. */
function postLogout(deps: LogoutDeps): VisitHandler {
  return async (visit) => {
    const seen: Seen = { ...deps, visit };
    const { form, pages } = { ...visit, ...deps };
    const fields = requestFields.flatMap((name) => form.all(name).map((value): [string, string] => [name, value]));
    const query = withoutEmpty(new URLSearchParams(fields));
    if (form.all("csrf_token").length === 0) {
      return sendTo(visit.reply, `${visit.path}${query.size === 0 ? "" : `?${query.toString()}`}`);
    }
    const request = readLogoutRequest(query);
    const session = await sessionOf(seen);
    const browserToken = pages.cookies.read(visit.request.headers.cookie, cookieNames.flow);
    const subject = readCsrfToken(form.one("csrf_token"), browserToken);
    if (request === undefined || subject === undefined) return refuse(seen, "the form is not ours");
    // Another session than that of the page: nobody was asked about it.
    if (session !== undefined && subject !== session.uid) return refuse(seen, "the form is another session's");
    const decided = await deps.decide(request, session);
    if (decided.decision === "invalid") return refuse(seen, decided.why);
    return signOut(seen, session, placeAfter(decided, visit));
  };
}

export function logoutRoutes(deps: LogoutDeps): readonly PageRoute[] {
  return ["/oidc/logout", "/logout"].flatMap((path): readonly PageRoute[] => [
    { method: "GET", path, handler: getLogout(deps) },
    { method: "POST", path, handler: postLogout(deps) },
  ]);
}
