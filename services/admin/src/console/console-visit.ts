import { consoleRoutes, hasRight, isOfDomains, pathTo } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Operator } from "../operators/operator.ts";
import { consoleLanguage } from "../texts/console-languages.ts";
import type { ShownReach } from "./action-forms.ts";
import type { ConsolePage } from "./console-document.ts";
import type { ConsolePagesDeps } from "./context.ts";
import { type Look, serverZone } from "./house/times.ts";
import { type NoticeKey, noticePage } from "./notice-pages.ts";

/** One request of an operator's browser. */
export interface ConsoleVisit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly operator: Operator;
}

/** GUID and address of a request, as the gateway states them. */
export function originOf({ caller, id }: FastifyRequest): { readonly session: string; readonly clientIp: string } {
  return { session: caller?.session ?? id, clientIp: caller?.clientIp ?? "" };
}

/** The operator has lost the role. */
export function auditWithdrawn(
  { audit }: Pick<ConsolePagesDeps, "audit">,
  actor: string,
  about: ReturnType<typeof originOf>,
): void {
  audit.record({ event: "console.sign_out", outcome: "ok", actor, reason: "no_role", ...about });
}

/** How this browser shows texts and times: as the operator prefers, or as the browser asks. */
export function lookOf(
  { preferenceCookies, clock }: Pick<ConsolePagesDeps, "preferenceCookies" | "clock">,
  { headers }: Pick<FastifyRequest, "headers">,
): Look {
  const { cookie, "accept-language": acceptLanguage } = headers;
  const { zone, language } = preferenceCookies;
  return {
    zone: zone.read(cookie) ?? serverZone,
    language: consoleLanguage(language.read(cookie), acceptLanguage),
    nowMs: clock.now(),
  };
}

type Show = Pick<ConsolePagesDeps, "show" | "preferenceCookies" | "clock">;

export function sendPage(deps: Show, reply: FastifyReply, page: ConsolePage, operator?: Operator): FastifyReply {
  const { request } = reply;
  const { status, headers, body } = deps.show(page, operator, { ...lookOf(deps, request), path: request.url });
  return reply
    .code(status)
    .headers({ ...headers })
    .send(body);
}

export function sendNotice(deps: Show, reply: FastifyReply, key: NoticeKey, operator?: Operator): FastifyReply {
  const isFault = key === "unavailable" || key === "no_sessions";
  return sendPage(
    deps,
    reply,
    noticePage(key, { reference: isFault ? originOf(reply.request).session : undefined }),
    operator,
  );
}

export function goTo(reply: FastifyReply, path: string): FastifyReply {
  return reply.header("cache-control", "no-store").redirect(path, 303);
}

/** The text of a query parameter. */
export function queryOf({ query }: FastifyRequest, name: string): string | undefined {
  const value: unknown = Object(query)[name];
  return typeof value === "string" ? value : undefined;
}

/** A route that everyone gets needs no operator. */
export type OperatorRoute = {
  [Id in keyof typeof consoleRoutes]: (typeof consoleRoutes)[Id] extends "everyone" ? never : Id;
}[keyof typeof consoleRoutes];

/** A page, a notice by its key, or the reply itself if it was sent. */
export type PageAnswer = ConsolePage | NoticeKey | FastifyReply;

interface RouteForOperators {
  readonly route: OperatorRoute;
  readonly handle: (visit: ConsoleVisit) => Promise<PageAnswer>;
  /** The role of an operator does not permit the route. */
  readonly onRefused?: (visit: ConsoleVisit) => void;
}

/**
 * Runs a handler for an operator who has the right that the route requires; 403 without it, and 404 for an operator of one domain if the
 * route is about the site. Without a session, a GET leads to the sign-in
 * and comes back; anything else is 403. An account that has lost its role is 403, and its session has ended.
 */
export function forOperator(deps: ConsolePagesDeps, { route, handle, onRefused }: RouteForOperators) {
  const { cookies, findOperator } = deps;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const about = originOf(request);
    const cookie = cookies.read(request.headers.cookie, "session");
    const operator = await findOperator({ cookie, ...about });
    if (operator === "none") {
      if (request.method !== "GET") return sendNotice(deps, reply, "no_session");
      return goTo(reply, `${pathTo("consoleSignIn")}?${new URLSearchParams({ next: request.url }).toString()}`);
    }
    if ("withdrawn" in operator) {
      auditWithdrawn(deps, operator.withdrawn, about);
      reply.header("set-cookie", cookies.set("session", ""));
      return sendNotice(deps, reply, "no_role");
    }
    const visit = { request, reply, operator };
    const right = consoleRoutes[route];
    if (operator.domain !== undefined && !isOfDomains(right)) {
      // The first page of the site's operators. Of the others, an operator of one domain does not learn whether they exist.
      if (route === "consoleOverview") return goTo(reply, pathTo("consoleDomains"));
      return sendNotice(deps, reply, "not_found", operator);
    }
    if (!hasRight(operator, right)) {
      onRefused?.(visit);
      return sendNotice(deps, reply, "role", operator);
    }
    // A reply of Fastify is a thenable: one that was sent is undefined here.
    const answer: PageAnswer | undefined = await handle(visit);
    if (typeof answer === "string") return sendNotice(deps, reply, answer, operator);
    return answer !== undefined && "title" in answer ? sendPage(deps, reply, answer, operator) : reply;
  };
}

/** While no engine tells the role, nothing is changed. @throws AppError UPSTREAM_UNAVAILABLE */
export function checkRole({ isRoleCurrent }: Pick<Operator, "isRoleCurrent">): void {
  if (!isRoleCurrent) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "the operator's role is unknown" });
}

/** Never rejects: a page that cannot tell shows everything but the actions. */
export async function shownReach(
  { findReach }: Pick<ConsolePagesDeps, "findReach">,
  operator: Operator,
  name: string | undefined,
): Promise<ShownReach> {
  if (name === undefined) return "allowed";
  try {
    return (await findReach(operator, name)).kind;
  } catch {
    return "undecided";
  }
}
