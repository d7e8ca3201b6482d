import { pathTo } from "@postern/shared/contracts";
import { readUtf8Form } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply } from "fastify";
import { csrfToken, isBrowserToken, newBrowserToken, readCsrfToken } from "../flow/browser-binding.ts";
import { localPath } from "../flow/flow-paths.ts";
import type { Look } from "../pages/look.ts";
import { formTargetOf } from "../pages/policy-sources.ts";
import { logoutPage } from "../pages/templates/messages.ts";
import { signingOutPage } from "../pages/templates/single-logout.ts";
import type { BrowserSessionRecord } from "../sessions/browser-session.ts";
import { cookieNames } from "../sessions/cookies.ts";
import type { SingleLogout } from "../sessions/single-logout.ts";
import type { VisitContext } from "../visit/context.ts";
import { registerPageRoutes, servePage, type VisitHandler } from "../visit/page-routes.ts";
import {
  auditVisit,
  noteBrowserState,
  sendProblem,
  sendShown,
  sendTo,
  sessionOf,
  setCookie,
  type Visit,
  lookOf as visitLook,
} from "../visit/visit.ts";
import type { OidcContext } from "./context.ts";
import { queryOf, withoutEmpty } from "./http/form.ts";
import { fitsAddress, sendAgain, sentAgain } from "./http/send-again.ts";
import { decideLogout, type LogoutDecision, type LogoutRequest, readLogoutRequest } from "./logout/logout-request.ts";
import type { Generation } from "./provider/generation.ts";

/** The registered address with `iss` and `sid` (§3); the client ends the session whose ID token contained this `sid`. */
function addressOf(uri: string, session: { readonly iss: string; readonly sid: string } | undefined): string {
  const url = new URL(uri);
  if (session !== undefined) {
    url.searchParams.set("iss", session.iss);
    url.searchParams.set("sid", session.sid);
  }
  return url.href;
}

/** The logout pages of the clients that used the session (Front-Channel Logout 1.0); empty while the front channel is off. */
export function logoutFrames(
  { policies, settings: { issuer: iss, oidc } }: Pick<Generation, "policies" | "settings">,
  { authorizations }: Pick<BrowserSessionRecord, "authorizations">,
) {
  const { front_channel_supported: isOn, front_channel_session_supported: tellsSession } = oidc.logout;
  if (!isOn) return [];
  return Object.entries(authorizations).flatMap(([clientId, { sid }]) => {
    const { frontchannel_logout_uri: uri = "", name = "" } = policies.get(clientId)?.config ?? {};
    if (uri === "") return [];
    return [{ name: name === "" ? clientId : name, address: addressOf(uri, tellsSession ? { iss, sid } : undefined) }];
  });
}

type LogoutFrames = ReturnType<typeof logoutFrames>;

/** Request fields that the confirmation form repeats; they are validated again. */
const carried = ["client_id", "post_logout_redirect_uri", "state"] as const;

/** Time for clients' logout pages to load. */
const longestFrameMs = 3000;

/** While OIDC is off there are no clients: the user confirms and is not redirected to one. */
type LogoutContext = VisitContext & { readonly singleLogout: SingleLogout; readonly oidc: OidcContext | undefined };

type Seen = LogoutContext & { readonly visit: Visit };

async function decide(
  { oidc }: Seen,
  request: LogoutRequest,
  session: BrowserSessionRecord | undefined,
): Promise<LogoutDecision> {
  if (oidc === undefined) return { decision: "ask", clientId: undefined, returnTo: undefined };
  return decideLogout(oidc.current(), request, session);
}

type Decided = Exclude<LogoutDecision, { decision: "invalid" }>;

function placeAfter({ returnTo }: Decided, { language }: Visit): string {
  return returnTo ?? localPath(pathTo("loggedOutPage"), language?.tag);
}

async function signOut(seen: Seen, session: BrowserSessionRecord | undefined, place: string): Promise<FastifyReply> {
  const { visit, pages, singleLogout, logger, audit, oidc } = seen;
  const frames = session === undefined || oidc === undefined ? [] : logoutFrames(oidc.current(), session);
  const headStartMs = frames.length === 0 ? 0 : longestFrameMs;
  const next = session === undefined ? place : await singleLogout.leave(session, place, headStartMs);
  if (session !== undefined) {
    const who = { actor: session.account, target: session.account };
    auditVisit(audit, visit.request, { event: "session.end", outcome: "ok", ...who, reason: "logout" });
    logger.info({ session: visit.request.caller?.session, account: session.account }, "signed out");
  }
  setCookie(visit.reply, pages.cookies.set(cookieNames.session, "", 0));
  noteBrowserState(pages, visit, undefined);
  return frames.length === 0 ? sendTo(visit.reply, next) : showFrames(seen, frames, next);
}

/** Clients' logout pages in frames: they send no answer, so the browser continues when all have loaded, or after the timeout. */
function showFrames({ visit, pages }: Seen, frames: LogoutFrames, next: string): FastifyReply {
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
    brand: pages.brands?.of(visit.request),
    headers: visit.request.headers,
  });
}

const longestName = 200;

function refuse({ visit, pages, logger }: Seen, why: string, request?: LogoutRequest): FastifyReply {
  const client = request?.clientId?.slice(0, longestName);
  logger.info({ session: visit.request.caller?.session, client, reason: why }, "logout refused");
  return sendProblem(pages, visit, "request");
}

/** The confirmation page; its form is valid only in this browser and for this session. */
function askUser(
  seen: Seen,
  session: BrowserSessionRecord,
  query: URLSearchParams,
  { decided: { clientId }, place }: { readonly decided: Decided; readonly place: string },
): FastifyReply {
  const { visit, pages } = seen;
  const kept = pages.cookies.read(visit.request.headers.cookie, cookieNames.flow);
  const browserToken = isBrowserToken(kept) ? kept : newBrowserToken();
  if (browserToken !== kept) setCookie(visit.reply, pages.cookies.set(cookieNames.flow, browserToken));
  const fields = new Map(carried.flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? ""]] : [])));
  if (clientId !== undefined) fields.set("client_id", clientId);
  const view = {
    action: localPath(visit.path, visit.language?.tag),
    csrfToken: csrfToken(session.uid, browserToken),
    account: session.displayName ?? session.account,
    stay: pathTo("registrationHome"),
    fields: Object.fromEntries(fields),
  };
  const target = formTargetOf(place);
  const formTargets = target === undefined ? [] : [target];
  // A form that does not fit into an address has no links to the page in other languages.
  const path = visit.request.method === "GET" || fitsAddress(query) ? visit.path : "";
  const look = lookOf({ ...seen, visit: { ...visit, path } }, query);
  return sendShown(visit.reply, pages.show(logoutPage, view, look, { formTargets }));
}

/** A valid hint of this browser's session ends it immediately; otherwise the user must confirm (RP-Initiated Logout 1.0 §2). */
function endOrAsk(
  seen: Seen,
  session: BrowserSessionRecord | undefined,
  query: URLSearchParams,
  decided: Decided,
): Promise<FastifyReply> | FastifyReply {
  const place = placeAfter(decided, seen.visit);
  if (decided.decision === "end" || session === undefined) return signOut(seen, session, place);
  return askUser(seen, session, query, { decided, place });
}

/** Fields that a client's own form may contain. */
const requestFields = [...carried, "id_token_hint", "ui_locales"] as const;

/** The form of a client, which another site may have sent: then the browser has added no Lax cookies. */
async function start(seen: Seen, query: URLSearchParams): Promise<FastifyReply> {
  const { visit, pages } = seen;
  const request = readLogoutRequest(query);
  if (request === undefined) return refuse(seen, "a parameter is repeated or too long");
  const action = localPath(visit.path, visit.language?.tag);
  if (fitsAddress(query)) return sendTo(visit.reply, `${action}${query.size === 0 ? "" : `?${query.toString()}`}`);
  const session = await sessionOf(seen, seen.visit);
  const decided = await decide(seen, request, session);
  if (decided.decision === "invalid") return refuse(seen, decided.why, request);
  if (session !== undefined) return endOrAsk(seen, session, query, decided);
  const target = placeAfter(decided, visit);
  const look = {
    language: visit.language,
    uiLocales: query.get("ui_locales") ?? undefined,
    headers: visit.request.headers,
  };
  const isAgain = visit.form.getAll(sentAgain).length > 0;
  const sent = isAgain ? undefined : sendAgain(pages, visit.reply, { action, form: query, target, look });
  // Any site can state that it is our page: the cookies of the browser stay.
  return sent ?? sendTo(visit.reply, target);
}

/** `POST`: the confirmation, or a client's own form, which becomes a GET if its fields may be in an address. */
function postLogout(context: LogoutContext): VisitHandler {
  return async (visit) => {
    const seen: Seen = { ...context, visit };
    const { form } = visit;
    const { pages } = context;
    const fields = requestFields.flatMap((name) => form.getAll(name).map((value): [string, string] => [name, value]));
    const query = withoutEmpty(new URLSearchParams(fields));
    if (!form.has("csrf_token")) return start(seen, query);
    const request = readLogoutRequest(query);
    const session = await sessionOf(seen, seen.visit);
    const browserToken = pages.cookies.read(visit.request.headers.cookie, cookieNames.flow);
    const subject = readCsrfToken(form.one("csrf_token"), browserToken);
    if (request === undefined || subject === undefined) return refuse(seen, "the form was not issued to this browser");
    // The page asked about another session.
    if (session !== undefined && subject !== session.uid) return refuse(seen, "the form belongs to another session");
    const decided = await decide(seen, request, session);
    if (decided.decision === "invalid") return refuse(seen, decided.why, request);
    return signOut(seen, session, placeAfter(decided, visit));
  };
}

/** `GET /oidc/logout`, `GET /logout`: another site's page must not be able to sign users out. */
function getLogout(context: LogoutContext): VisitHandler {
  return async (visit) => {
    const seen: Seen = { ...context, visit };
    const query = withoutEmpty(readUtf8Form(queryOf(visit.request.raw.url)));
    const request = readLogoutRequest(query);
    if (request === undefined) return refuse(seen, "a parameter is repeated or too long");
    const session = await sessionOf(seen, seen.visit);
    const decided = await decide(seen, request, session);
    if (decided.decision === "invalid") return refuse(seen, decided.why, request);
    return endOrAsk(seen, session, query, decided);
  };
}

export function registerLogout(app: FastifyInstance, context: LogoutContext): void {
  const routes = [
    servePage("endSession", getLogout(context)),
    servePage("endSessionPost", postLogout(context)),
    servePage("logout", getLogout(context)),
    servePage("logoutPost", postLogout(context)),
  ];
  registerPageRoutes(app, routes, context);
}
