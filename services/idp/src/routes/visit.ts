import type { FastifyReply, FastifyRequest } from "fastify";
import type { FlowGate, Passage, Presented } from "../flow/flow-gate.ts";
import { localPath, placeOf } from "../flow/flow-paths.ts";
import type { FlowRecord } from "../flow/flow-record.ts";
import type { FlowState } from "../flow/flow-table.ts";
import type { CallContext } from "../login/password-check.ts";
import type { Language } from "../pages/languages.ts";
import type { Look } from "../pages/look.ts";
import type { Pages, Shown } from "../pages/pages.ts";
import { formTargetOf } from "../pages/security-headers.ts";
import { errorPage, type Problem } from "../pages/templates/notices.ts";
import { type Form, formOf } from "../plugins/form-body.ts";
import { cookieNames } from "../sessions/cookies.ts";

/** One request of a browser for a page of ours. */
export interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Without its language tag. */
  readonly path: string;
  /** Of the URL. */
  readonly language: Language | undefined;
  readonly form: Form;
  readonly query: (name: string) => string | undefined;
  /** A segment of the path. */
  readonly param: (name: string) => string | undefined;
}

function isTextRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** What came once under a name. */
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

/** A redirect that no cache keeps. */
export function sendTo(reply: FastifyReply, location: string): FastifyReply {
  return reply.header("cache-control", "no-store").redirect(location, 302);
}

/** Beside those that a flow's start has put on the bare response. */
export function setCookie(reply: FastifyReply, cookie: string): void {
  reply.raw.appendHeader("set-cookie", cookie);
}

/** How a page looks for this visit; `flow` is kept in the links to other languages. */
export function lookOf(pages: Pages, { request, path, language }: Visit, flow?: FlowRecord): Look {
  const query = flow === undefined ? "" : `?${new URLSearchParams({ flow: flow.id }).toString()}`;
  return pages.lookOf({
    path,
    query,
    language: language ?? (flow?.languageTag === undefined ? undefined : pages.languageOf(flow.languageTag)),
    uiLocales: flow?.params?.uiLocales,
    headers: request.headers,
  });
}

const statusOf: Readonly<Record<Problem, number>> = {
  failed: 500,
  unavailable: 500,
  expired: 400,
  request: 400,
  not_found: 404,
  unauthenticated: 401,
  required: 400,
};

export interface ProblemOptions {
  readonly href?: string;
}

/** A page that says what is wrong; the reference is the request's own. */
export function sendProblem(pages: Pages, visit: Visit, problem: Problem, { href }: ProblemOptions = {}): FastifyReply {
  const look = lookOf(pages, { ...visit, path: "" });
  const reference = visit.request.caller?.session ?? visit.request.id;
  const view = {
    problem,
    reference: problem === "unauthenticated" || problem === "required" ? undefined : reference,
    href,
  };
  return sendShown(visit.reply, pages.show(errorPage, view, look, { status: statusOf[problem] }));
}

/** Of the form, or of a script's header, which no foreign page can set. */
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

/** Lets a visit into its flow, or answers it: 400 without a flow, 302 to where the flow stands. */
export async function admit(
  { gate, pages }: Gated,
  visit: Visit,
  states: readonly FlowState[],
): Promise<Extract<Passage, { passage: "open" }> | undefined> {
  const isPost = visit.request.method === "POST";
  const passage = await gate[isPost ? "submit" : "enter"](presented(pages, visit), states);
  if (passage.passage === "open") return passage;
  const place = passage.passage === "elsewhere" ? placeOf(passage.flow, visit.language?.tag) : undefined;
  if (place === undefined) sendProblem(pages, visit, "expired");
  else sendTo(visit.reply, place);
  return undefined;
}

export function hrefIn(path: string, { language }: Visit, flow: FlowRecord): string {
  return localPath(path, language?.tag, { flow: flow.id });
}

/** Where the forms of a flow's pages may lead in the end. */
export function formTargets({ params }: FlowRecord): readonly string[] {
  const target = formTargetOf(params?.redirectUri);
  return target === undefined ? [] : [target];
}

export function callContext(visit: Visit, deadline: number): CallContext {
  const gone = new AbortController();
  visit.reply.raw.once("close", () => gone.abort());
  const { caller, id } = visit.request;
  return { session: caller?.session ?? id, clientIp: caller?.clientIp, deadline, signal: gone.signal };
}
