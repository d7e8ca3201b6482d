import { operation, pathTo } from "@postern/shared/contracts";
import { isBelow } from "@postern/shared/platform/http";
import type { FormView } from "@postern/shared/platform/pages";
import { steadyClock } from "@postern/shared/platform/time";
import type { FastifyReply, FastifyRequest } from "fastify";
import { applicationOf } from "../flow/application-of.ts";
import { csrfToken, isFlowId } from "../flow/browser-binding.ts";
import type { FlowGate, Passage, Presented } from "../flow/flow-gate.ts";
import { localPath, pageUrlOf } from "../flow/flow-paths.ts";
import type { FlowRecord } from "../flow/flow-record.ts";
import type { FlowState } from "../flow/flow-table.ts";
import { mayCancel } from "../login/complete-sign-in.ts";
import type { EngineCall } from "../login/engine-call.ts";
import { referenceOf } from "../login/failed-sign-ins.ts";
import { type DoneKey, readDone } from "../pages/done.ts";
import type { Language, LanguageTag } from "../pages/languages.ts";
import type { Look } from "../pages/look.ts";
import { accountPath, type LookRequest, type Pages, type Shown } from "../pages/pages.ts";
import { formTargetOf } from "../pages/policy-sources.ts";
import { errorPage, type Problem } from "../pages/templates/notices.ts";
import { type Form, formOf } from "../plugins/form-body.ts";
import { cookieNames } from "../sessions/cookies.ts";

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

function isTextRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Reads a value that occurs exactly once. */
function textIn(values: unknown): Visit["query"] {
  return (name) => {
    const value = isTextRecord(values) ? values[name] : undefined;
    return typeof value === "string" ? value : undefined;
  };
}

export function formVisit(base: Omit<Visit, "form" | "query" | "param">): Visit {
  const { body, query, params } = base.request;
  return { ...base, form: formOf(body), query: textIn(query), param: textIn(params) };
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

/** The look of a page for this visit; links to other languages keep `flow`. */
export function lookOf(pages: Pages, visit: Visit, flow?: FlowRecord): Look {
  return pages.lookOf({ ...lookRequestOf(pages, visit, flow), done: takeDone(pages, visit) });
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

/** The reference under which the log and `postern why` find a failure. */
export function referenceIn({ request }: { readonly request: Pick<FastifyRequest, "id" | "caller"> }): string {
  return referenceOf(request.caller?.session ?? request.id);
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

export interface ProblemOptions {
  readonly href?: string | undefined;
  /** The sign-in that the page is about. */
  readonly flow?: FlowRecord | undefined;
}

/** Sends an error page with the reference of the request. */
export function sendProblem(
  pages: Pages,
  visit: Visit,
  problem: Problem,
  { href = wayOn(visit, problem), flow }: ProblemOptions = {},
): FastifyReply {
  const look = lookOf(pages, { ...visit, path: "" });
  const view = {
    problem,
    reference: problem === "unauthenticated" || problem === "required" ? undefined : referenceIn(visit),
    href,
    application: problem === "expired" && flow !== undefined ? applicationOf(flow) : undefined,
  };
  return sendShown(visit.reply, pages.show(errorPage, view, look, { status: statusOf[problem] }));
}

/** Redirects to the place; without one, the sign-in has expired. */
export function sendOn(pages: Pages, visit: Visit, place: string | undefined, flow?: FlowRecord): FastifyReply {
  return place === undefined ? sendProblem(pages, visit, "expired", { flow }) : sendTo(visit.reply, place);
}

/** The token in the form, or in a script's header, which foreign pages cannot set. */
export function csrfTokenIn({ form, request }: Visit): string | undefined {
  const header = request.headers["x-csrf-token"];
  return form.one("csrf_token") ?? (typeof header === "string" ? header : undefined);
}

function presented(pages: Pages, visit: Visit): Presented {
  return {
    browserToken: pages.cookies.read(visit.request.headers.cookie, cookieNames.flow),
    flowId: visit.query("flow"),
    csrfToken: csrfTokenIn(visit),
  };
}

export interface Gated {
  readonly gate: FlowGate;
  readonly pages: Pages;
}

/**
 * Admits a visit to its flow, or answers it: 400 without a flow, 302 to the flow's current page. If a form is
 * sent twice, the second request arrives after the flow has ended; `answerOver` then answers the visit.
 */
export async function admit(
  { gate, pages }: Gated,
  visit: Visit,
  states: readonly FlowState[],
  answerOver?: (flow: FlowRecord) => Promise<FastifyReply>,
): Promise<Extract<Passage, { passage: "open" }> | undefined> {
  const isPost = visit.request.method === "POST";
  const passage = await gate[isPost ? "submit" : "enter"](presented(pages, visit), states);
  if (passage.passage === "open") return passage;
  if (passage.passage === "over" && answerOver !== undefined) {
    await answerOver(passage.flow);
    return undefined;
  }
  const place = passage.passage === "elsewhere" ? pageUrlOf(passage.flow, visit.language?.tag) : undefined;
  sendOn(pages, visit, place, passage.passage === "none" ? undefined : passage.flow);
  return undefined;
}

/** The form that cancels the sign-in; undefined if no application waits for it. */
export function cancelIn({ language }: Visit, flow: FlowRecord, browserToken: string): FormView | undefined {
  if (!mayCancel(flow)) return undefined;
  return { action: localPath(pathTo("cancelLogin"), language?.tag), csrfToken: csrfToken(flow.id, browserToken) };
}

export function hrefIn(path: string, { language }: Visit, flow: FlowRecord): string {
  return localPath(path, language?.tag, { flow: flow.id });
}

/** Where the forms of a flow's pages may finally lead. */
export function formTargets({ params }: FlowRecord): readonly string[] {
  const target = formTargetOf(params?.redirectUri);
  return target === undefined ? [] : [target];
}

export function callContext(visit: Visit, withinMs: number): EngineCall {
  const gone = new AbortController();
  visit.reply.raw.once("close", () => gone.abort());
  const { caller, id } = visit.request;
  return {
    session: caller?.session ?? id,
    clientIp: caller?.clientIp,
    deadline: steadyClock.now() + withinMs,
    signal: gone.signal,
  };
}
