import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { csrfToken, isBrowserToken, newBrowserToken, readCsrfToken } from "../../flow/browser-binding.ts";
import { localPath } from "../../flow/flow-paths.ts";
import type { SingleLogout } from "../../login/single-logout.ts";
import type { LogoutFrame } from "../../oidc/logout/front-channel.ts";
import { type LogoutDecision, type LogoutRequest, readLogoutRequest } from "../../oidc/logout/logout-request.ts";
import type { Look } from "../../pages/look.ts";
import { formTargetOf } from "../../pages/security-headers.ts";
import { logoutPage } from "../../pages/templates/notices.ts";
import { signingOutPage } from "../../pages/templates/single-logout.ts";
import { readUtf8Form } from "../../plugins/utf8-form.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import { auditVisit } from "../audit-visit.ts";
import type { LoginDeps } from "../login/deps.ts";
import { type PageRoute, servePage, type VisitHandler } from "../page-routes.ts";
import { sendProblem, sendShown, sendTo, setCookie, type Visit, lookOf as visitLook } from "../visit.ts";
import { queryOf, withoutEmpty } from "./form.ts";

export interface LogoutDeps extends Pick<LoginDeps, "pages" | "sessions" | "logger" | "audit"> {
  readonly decide: (request: LogoutRequest, session: BrowserSessionRecord | undefined) => Promise<LogoutDecision>;
  readonly singleLogout: Pick<SingleLogout, "leave">;
  /** Logout pages of the clients that the session was used for. */
  readonly frames: (session: BrowserSessionRecord) => readonly LogoutFrame[];
}

/** Request fields that the confirmation form repeats; they are validated again. */
const carried = ["client_id", "post_logout_redirect_uri", "state"] as const;
/** Fields that a client's own form may contain. */
const requestFields = [...carried, "id_token_hint", "ui_locales"] as const;

/** Time for clients' logout pages to load. */
const longestFrameMs = 3000;

/** Longest query of the GET that a form becomes: the limit of browsers and proxies for a request line. */
const longestQuery = 16_384;

interface Seen extends LogoutDeps {
  readonly visit: Visit;
}

function sessionOf({ visit, pages, sessions }: Seen): Promise<BrowserSessionRecord | undefined> {
  const sid = pages.cookies.read(visit.request.headers.cookie, cookieNames.session);
  return sid === undefined ? Promise.resolve(undefined) : sessions.findBySid(sid);
}

function placeAfter({ returnTo }: Extract<LogoutDecision, { decision: "end" | "ask" }>, { language }: Visit): string {
  return returnTo ?? localPath(pathTo("loggedOutPage"), language?.tag);
}

async function signOut(seen: Seen, session: BrowserSessionRecord | undefined, place: string): Promise<FastifyReply> {
  const { visit, pages, singleLogout, logger, audit } = seen;
  const frames = session === undefined ? [] : seen.frames(session);
  const headStartMs = frames.length === 0 ? 0 : longestFrameMs;
  const next = session === undefined ? place : await singleLogout.leave(session, place, headStartMs);
  if (session !== undefined) {
    const who = { actor: session.account, target: session.account };
    auditVisit(audit, visit.request, { event: "session.end", outcome: "ok", ...who, reason: "logout" });
    logger.info({ session: visit.request.caller?.session, account: session.account }, "signed out");
  }
  setCookie(visit.reply, pages.cookies.set(cookieNames.session, "", 0));
  return frames.length === 0 ? sendTo(visit.reply, next) : showFrames(seen, frames, next);
}

/** Clients' logout pages in frames: they send no answer, so the browser continues when all have loaded or the time is up. */
function showFrames({ visit, pages }: Seen, frames: readonly LogoutFrame[], next: string): FastifyReply {
  const services = frames.map(({ name, address: frame }) => ({ name, state: "asking", frame }) as const);
  const frameTargets = [...new Set(frames.flatMap(({ address }) => formTargetOf(address) ?? []))];
  visit.reply.header("refresh", `${longestFrameMs / 1000}; url=${next}`);
  const look = visitLook(pages, { ...visit, path: "" });
  const view = { self: "", next, services, script: pages.assets.signOut.path };
  return sendShown(visit.reply, pages.show(signingOutPage, view, look, { frameTargets }));
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

const longestName = 200;

function refuse({ visit, pages, logger }: Seen, why: string, request?: LogoutRequest): FastifyReply {
  const client = request?.clientId?.slice(0, longestName);
  logger.info({ session: visit.request.caller?.session, client, reason: why }, "logout refused");
  return sendProblem(pages, visit, "request");
}

/**
 * `GET /oidc/logout`, `GET /logout` (RP-Initiated Logout 1.0 §2): a valid hint of this browser's user ends the session
 * immediately; otherwise the user must confirm, so that another site's page cannot sign users out.
 */
function getLogout(deps: LogoutDeps): VisitHandler {
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

/** `POST`: the confirmation; a client's own form becomes a GET, with which the browser sends its cookies. */
function postLogout(deps: LogoutDeps): VisitHandler {
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

export function logoutRoutes(deps: LogoutDeps): readonly PageRoute[] {
  return [
    servePage("endSession", getLogout(deps)),
    servePage("endSessionPost", postLogout(deps)),
    servePage("logout", getLogout(deps)),
    servePage("logoutPost", postLogout(deps)),
  ];
}
