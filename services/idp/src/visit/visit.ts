import { operation, pathTo } from "@postern/shared/contracts";
import type { Audit, AuditRecord } from "@postern/shared/domain/audit";
import type { Language, LanguageTag } from "@postern/shared/domain/localisation";
import { digestOf } from "@postern/shared/platform/crypto";
import { isBelow } from "@postern/shared/platform/http";
import { steadyClock } from "@postern/shared/platform/time";
import type { FastifyReply, FastifyRequest } from "fastify";
import { applicationOf } from "../flow/application-of.ts";
import { isBrowserToken, isFlowId } from "../flow/browser-binding.ts";
import { localPath } from "../flow/flow-paths.ts";
import type { FlowRecord } from "../flow/flow-record.ts";
import { type DoneKey, readDone } from "../pages/done.ts";
import type { Look, Page } from "../pages/look.ts";
import { accountPath, type LookRequest, type Pages, type Shown, type ShowOptions } from "../pages/pages.ts";
import { errorPage, type Problem } from "../pages/templates/messages.ts";
import type { BrowserSessionRecord, SessionOrigin } from "../sessions/browser-session.ts";
import { cookieNames } from "../sessions/cookies.ts";
import type { SessionStore } from "../sessions/session-store-redis.ts";
import type { NotificationOrigin } from "../user-notifications/notification.ts";
import { Form } from "./form-body.ts";

/** The deadline of a call to an engine, and the request that it belongs to. */
export interface EngineCall {
  readonly session: string;
  /** For the audit stream. */
  readonly clientIp?: string | undefined;
  /** Time of `steadyClock`. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** A call for a visit, which ends when the browser has left. */
export function callContext({ request, reply }: Pick<Visit, "request" | "reply">, withinMs: number): EngineCall {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  return {
    session: requestSession(request),
    clientIp: request.caller?.clientIp,
    deadline: steadyClock.now() + withinMs,
    signal: gone.signal,
  };
}

const selfServicePrefix = operation("registrationHome").family.prefix;
const loginPrefix = operation("loginPage").family.prefix;

/** One request of a browser for a page. */
export interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Without its language tag. */
  readonly path: string;
  /** The language tag in the URL. */
  readonly language: Language | undefined;
  readonly form: Form;
  readonly query: (name: string) => string | undefined;
  /** A segment of the path. */
  readonly param: (name: string) => string | undefined;
}

/** A text in a JSON body, or one that occurs exactly once among the parameters of a path or query. */
export function textIn(values: unknown, name: string): string | undefined {
  const value: unknown = typeof values === "object" && values !== null ? Reflect.get(values, name) : undefined;
  return typeof value === "string" ? value : undefined;
}

export function formVisit(base: Omit<Visit, "form" | "query" | "param">): Visit {
  const { body, query, params } = base.request;
  return {
    ...base,
    form: body instanceof Form ? body : new Form(),
    query: (name) => textIn(query, name),
    param: (name) => textIn(params, name),
  };
}

export function sendShown(reply: FastifyReply, { status, headers, body }: Shown): FastifyReply {
  return reply
    .code(status)
    .headers({ ...headers })
    .send(body);
}

/** A redirect that is not cached. */
export function sendTo(reply: FastifyReply, location: string): FastifyReply {
  return reply.header("cache-control", "no-store").redirect(location, 302);
}

/** Adds a cookie to those that starting a flow has set on the raw response. */
export function setCookie(reply: FastifyReply, cookie: string): void {
  reply.raw.appendHeader("set-cookie", cookie);
}

/** Tells frames of session management which session the browser has now. */
export function noteBrowserState(
  pages: Pages,
  { reply }: Pick<Visit, "reply">,
  sessionUid: string | undefined,
  maxAgeSeconds?: number,
): void {
  for (const cookie of pages.browserStateCookies(sessionUid, maxAgeSeconds) ?? []) setCookie(reply, cookie);
}

/** The session of the visiting browser; undefined if it is not signed in. */
export async function sessionOf(
  {
    pages,
    sessions,
  }: { readonly pages: Pick<Pages, "cookies" | "brands">; readonly sessions: Pick<SessionStore, "findBySid"> },
  { request }: Pick<Visit, "request">,
): Promise<BrowserSessionRecord | undefined> {
  const sid = pages.cookies.read(request.headers.cookie, cookieNames.session);
  const session = sid === undefined ? undefined : await sessions.findBySid(sid);
  if (session !== undefined) await pages.brands?.choose(request, session.account);
  return session;
}

/** The look of a page for this visit; links to other languages keep `flow`. */
export function lookOf(pages: Pages, visit: Visit, flow?: FlowRecord): Look {
  return pages.lookOf({ ...lookRequestOf(pages, visit, flow), done: takeDone(pages, visit) });
}

/** Answers with a page. A visit with an empty `path` is one that GET does not repeat: the page has no links to other languages. */
export function showPage<View extends object>(
  pages: Pages,
  visit: Visit,
  {
    page,
    view,
    flow,
    ...options
  }: ShowOptions & { readonly page: Page<View>; readonly view: View; readonly flow?: FlowRecord },
): FastifyReply {
  return sendShown(visit.reply, pages.show(page, view, lookOf(pages, visit, flow), options));
}

/** The tag of the language in which the visit is answered. */
export function languageTagOf(pages: Pages, visit: Visit, flow: FlowRecord): LanguageTag {
  return pages.lookOf(lookRequestOf(pages, visit, flow)).language.tag;
}

function lookRequestOf(pages: Pages, { request, path, language }: Visit, flow: FlowRecord | undefined): LookRequest {
  return {
    path,
    query: flow === undefined ? "" : `?${new URLSearchParams({ flow: flow.id }).toString()}`,
    language: language ?? (flow?.languageTag === undefined ? undefined : pages.languageOf(flow.languageTag)),
    uiLocales: flow?.params?.uiLocales,
    brand: pages.brands?.of(request),
    headers: request.headers,
  };
}

/** Takes the message about what was just done, which the next account page shows once. */
function takeDone({ cookies }: Pages, { request, reply, path }: Visit): readonly DoneKey[] {
  if (request.method !== "GET" || !isBelow(selfServicePrefix, path)) return [];
  const done = readDone(cookies.read(request.headers.cookie, cookieNames.done));
  if (done.length > 0) setCookie(reply, cookies.set(cookieNames.done, "", 0));
  return done;
}

const doneSeconds = 60;

/** Keeps a message for the next page. */
export function noteDone({ cookies }: Pages, { reply }: Visit, ...done: readonly DoneKey[]): void {
  if (done.length > 0) setCookie(reply, cookies.set(cookieNames.done, done.join("."), doneSeconds));
}

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;

/**
 * The part of the request's GUID that a page shows: its first 13 characters, short enough to read out, with which the
 * log's `session` begins.
 */
export function referenceOf(session: string): string {
  return guid.test(session) ? session.slice(0, 13).toLowerCase() : session;
}

/** The GUID of the request, which the log calls its session. */
export function requestSession({ caller, id }: Pick<FastifyRequest, "caller" | "id">): string {
  return caller?.session ?? id;
}

/** The reference under which the log and `postern why` find a failure. */
export function referenceIn({ request }: { readonly request: Pick<FastifyRequest, "id" | "caller"> }): string {
  return referenceOf(requestSession(request));
}

const statusOf: Readonly<Record<Problem, number>> = {
  failed: 500,
  unavailable: 500,
  expired: 400,
  request: 400,
  not_found: 404,
  unauthenticated: 401,
  required: 400,
  doubted: 403,
};

/** Where the user can try again: the page itself, or after a form the page of the form. */
function retryPlace(visit: Visit): string {
  const { request } = visit;
  const { url = "" } = request.raw;
  if (request.method === "GET") return url.startsWith("/") && !url.startsWith("//") ? url : accountPath;
  if (!isBelow(loginPrefix, request.routeOptions.url ?? "")) return accountPath;
  const [flow = ""] = csrfTokenIn(visit)?.split(".") ?? [];
  return localPath(pathTo("loginPage"), visit.language?.tag, isFlowId(flow) ? { flow } : {});
}

/** The link on an error page, so that none is a dead end. */
function wayOn(visit: Visit, problem: Problem): string | undefined {
  if (problem === "failed" || problem === "unavailable") return retryPlace(visit);
  return problem === "expired" || problem === "not_found" ? accountPath : undefined;
}

/** Sends an error page with the reference of the request. `flow` is the sign-in that the page is about. */
export function sendProblem(
  pages: Pages,
  visit: Visit,
  problem: Problem,
  {
    href = wayOn(visit, problem),
    flow,
  }: { readonly href?: string | undefined; readonly flow?: FlowRecord | undefined } = {},
): FastifyReply {
  const view = {
    problem,
    reference: problem === "unauthenticated" || problem === "required" ? undefined : referenceIn(visit),
    href,
    application: problem === "expired" && flow !== undefined ? applicationOf(flow) : undefined,
  };
  return showPage(pages, { ...visit, path: "" }, { page: errorPage, view, status: statusOf[problem] });
}

/** Redirects to the place; without one, the sign-in has expired. */
export function sendOn(pages: Pages, visit: Visit, place: string | undefined, flow?: FlowRecord): FastifyReply {
  return place === undefined ? sendProblem(pages, visit, "expired", { flow }) : sendTo(visit.reply, place);
}

/** The token in the form, or in a script's header, which foreign pages cannot set. */
export function csrfTokenIn({ form, request }: Visit): string | undefined {
  return form.one("csrf_token") ?? textIn(request.headers, "x-csrf-token");
}

/** Writes an audit record with the client address and session of the request. */
export function auditVisit(
  audit: Audit,
  request: Pick<FastifyRequest, "caller" | "id">,
  event: Omit<AuditRecord, "clientIp" | "session">,
): void {
  audit.record({ ...event, clientIp: request.caller?.clientIp, session: requestSession(request) });
}

/** Recognises the browser, without the value of its cookie. Empty if it has no device cookie. */
export function deviceDigest({ cookies }: Pick<Pages, "cookies">, { request }: Pick<Visit, "request">): string {
  const token = cookies.read(request.headers.cookie, cookieNames.device);
  return isBrowserToken(token) ? digestOf(token).toString("base64url") : "";
}

const longestUserAgent = 256;

/** Client address and browser of a request. */
export function originOf({ caller, headers }: FastifyRequest): SessionOrigin {
  return { clientIp: caller?.clientIp ?? "", userAgent: (headers["user-agent"] ?? "").slice(0, longestUserAgent) };
}

/** Client address, browser and language of a visit, for user notifications. */
export function notificationOrigin(
  pages: Pages,
  visit: Visit,
  attributes: NotificationOrigin["attributes"] | undefined,
  flow?: FlowRecord,
): NotificationOrigin {
  return { ...originOf(visit.request), language: lookOf(pages, visit, flow).language, attributes: attributes ?? {} };
}
