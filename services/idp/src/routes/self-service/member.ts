import type { FastifyReply } from "fastify";
import { csrfToken, readCsrfToken } from "../../flow/browser-binding.ts";
import { localPath } from "../../flow/flow-paths.ts";
import type { FactorState } from "../../mfa/factor-store.ts";
import { isFresh } from "../../mfa/freshness.ts";
import type { Subject } from "../../mfa/self-service.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import type { LoginDeps } from "../login/deps.ts";
import { noticeOrigin } from "../notice-origin.ts";
import type { VisitHandler } from "../page-routes.ts";
import { callContext, csrfTokenIn, sendProblem, sendTo, type Visit } from "../visit.ts";

/** A signed-in browser. */
export interface Member {
  readonly session: BrowserSessionRecord;
  readonly subject: Subject;
  /** For the forms of a page. */
  readonly csrfToken: string;
}

export type MemberHandler = (visit: Visit, member: Member) => Promise<FastifyReply>;

export const homePath = "/mfa/register/home";

export async function sessionOf({ pages, sessions }: Pick<LoginDeps, "pages" | "sessions">, { request }: Visit) {
  const sid = pages.cookies.read(request.headers.cookie, cookieNames.session);
  return sid === undefined ? undefined : sessions.findBySid(sid);
}

function browserTokenOf({ pages, starts }: LoginDeps, { request, reply }: Visit): string {
  return request.method === "GET"
    ? starts.bind(request.raw, reply.raw)
    : (pages.cookies.read(request.headers.cookie, cookieNames.flow) ?? "");
}

/** Lets signed-in browsers in: 401 for others; changes need the form's token for this very session, else 400. */
export function forMember(deps: LoginDeps, handler: MemberHandler): VisitHandler {
  const { pages, nowMs, decisionTimeoutMs } = deps;
  return async (visit) => {
    const session = await sessionOf(deps, visit);
    if (session === undefined) return sendProblem(pages, visit, "unauthenticated", { href: homePath });
    const browserToken = browserTokenOf(deps, visit);
    const isChange = visit.request.method !== "GET";
    if (isChange && readCsrfToken(csrfTokenIn(visit), browserToken) !== session.uid) {
      return sendProblem(pages, visit, "request", { href: homePath });
    }
    const context = callContext(visit, nowMs() + decisionTimeoutMs());
    const origin = noticeOrigin(pages, visit, session.attributes);
    const subject = { account: session.account, sessionUid: session.uid, context, origin };
    return handler(visit, { session, subject, csrfToken: csrfToken(session.uid, browserToken) });
  };
}

/** A path of self-service in the language of this visit. */
export function here({ language }: Visit, path: string): string {
  return localPath(path, language?.tag);
}

/** Sends the user through a sign-in and back to `returnTo`. */
async function stepUp(
  { starts }: Pick<LoginDeps, "starts">,
  { request, reply, language }: Visit,
  { session }: Member,
  returnTo: string,
): Promise<FastifyReply> {
  const flow = { returnTo, languageTag: language?.tag, accountId: session.account };
  return sendTo(reply, await starts.startSelfService(request.raw, reply.raw, flow));
}

export function hasFactor(state: FactorState | undefined): boolean {
  return state !== undefined && (state.hasTotp || state.webauthnCredentials.length > 0);
}

/** What a page of self-service is made of: the account's factors, by a user who has just proved to be it. */
export type FreshHandler = (visit: Visit, member: Member, state: FactorState) => Promise<FastifyReply>;

/** Whoever signed in too long ago signs in again first, and comes back to `page`, where the action is repeated. */
export function forFresh(deps: LoginDeps, page: string, handler: FreshHandler): VisitHandler {
  return forMember(deps, async (visit, member) => {
    const state = await deps.self.read(member.subject);
    if (!isFresh(member.session, hasFactor(state), Math.floor(deps.nowMs() / 1000))) {
      return stepUp(deps, visit, member, here(visit, page));
    }
    if (state === undefined) return sendProblem(deps.pages, visit, "not_found", { href: homePath });
    return handler(visit, member, state);
  });
}

/** A form that deletes posts `_method=DELETE` to the path; what else is posted there goes to `other`. */
export function byMethod(deps: LoginDeps, remove: VisitHandler, other?: VisitHandler): VisitHandler {
  return async (visit) => {
    if (visit.form.one("_method") === "DELETE") return remove(visit);
    return other === undefined ? sendProblem(deps.pages, visit, "request", { href: homePath }) : other(visit);
  };
}
