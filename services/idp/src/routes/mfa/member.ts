import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { csrfToken, readCsrfToken } from "../../flow/browser-binding.ts";
import { localPath } from "../../flow/flow-paths.ts";
import type { FactorState } from "../../mfa/factor-store-nats.ts";
import { isFresh } from "../../mfa/freshness.ts";
import type { Subject } from "../../mfa/subject.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import type { LoginDeps } from "../login/deps.ts";
import { notificationOrigin } from "../notification-origin.ts";
import type { VisitHandler } from "../page-routes.ts";
import { callContext, csrfTokenIn, sendProblem, sendTo, type Visit } from "../visit.ts";

/** The user of a signed-in browser. */
export interface Member {
  readonly session: BrowserSessionRecord;
  readonly subject: Subject;
  /** For the page's forms. */
  readonly csrfToken: string;
}

export type MemberHandler = (visit: Visit, member: Member) => Promise<FastifyReply>;

export const homePath = pathTo("registrationHome");

export async function sessionOf({ pages, sessions }: Pick<LoginDeps, "pages" | "sessions">, { request }: Visit) {
  const sid = pages.cookies.read(request.headers.cookie, cookieNames.session);
  return sid === undefined ? undefined : sessions.findBySid(sid);
}

function browserTokenOf({ pages, starts }: LoginDeps, { request, reply }: Visit): string {
  return request.method === "GET"
    ? starts.bind(request.raw, reply.raw)
    : (pages.cookies.read(request.headers.cookie, cookieNames.flow) ?? "");
}

/** Admits signed-in browsers, 401 for others. Changes need the form's token for this session, otherwise 400. */
export function forMember(deps: LoginDeps, handler: MemberHandler): VisitHandler {
  const { pages, decisionTimeoutMs } = deps;
  return async (visit) => {
    const session = await sessionOf(deps, visit);
    if (session === undefined) return sendProblem(pages, visit, "unauthenticated", { href: homePath });
    const browserToken = browserTokenOf(deps, visit);
    const isChange = visit.request.method !== "GET";
    if (isChange && readCsrfToken(csrfTokenIn(visit), browserToken) !== session.uid) {
      return sendProblem(pages, visit, "request", { href: homePath });
    }
    const context = callContext(visit, decisionTimeoutMs());
    const origin = notificationOrigin(pages, visit, session.attributes);
    const subject = { account: session.account, sessionUid: session.uid, signIn: session, context, origin };
    return handler(visit, { session, subject, csrfToken: csrfToken(session.uid, browserToken) });
  };
}

/** A self-service path in the language of this visit. */
export function here({ language }: Visit, path: string): string {
  return localPath(path, language?.tag);
}

/** Requires a new sign-in, which returns to `returnTo`. */
export async function stepUp(
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

/** Handles a visit by a user who has signed in recently, with the account's factors. */
export type FreshHandler = (visit: Visit, member: Member, state: FactorState) => Promise<FastifyReply>;

/**
 * Continues with a user who has signed in recently. If the sign-in is too long ago, the user signs in again first and returns to `page` to
 * repeat the action.
 */
export async function whenFresh(
  deps: LoginDeps,
  visit: Visit,
  { member, state, page }: { readonly member: Member; readonly state: FactorState | undefined; readonly page: string },
  next: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  if (!isFresh(member.session, hasFactor(state), Math.floor(deps.nowMs() / 1000))) {
    return stepUp(deps, visit, member, here(visit, page));
  }
  return next();
}

/** `whenFresh` with the account's factors; 404 if its backend does not store any. */
export function forFresh(deps: LoginDeps, page: string, handler: FreshHandler): VisitHandler {
  return forMember(deps, async (visit, member) => {
    const state = await deps.self.read(member.subject);
    return whenFresh(deps, visit, { member, state, page }, async () =>
      state === undefined
        ? sendProblem(deps.pages, visit, "not_found", { href: homePath })
        : handler(visit, member, state),
    );
  });
}

/** A form that deletes posts `_method=DELETE`; `other` handles all other posts to the path. */
export function byMethod(deps: LoginDeps, remove: VisitHandler, other?: VisitHandler): VisitHandler {
  return async (visit) => {
    if (visit.form.one("_method") === "DELETE") return remove(visit);
    return other === undefined ? sendProblem(deps.pages, visit, "request", { href: homePath }) : other(visit);
  };
}
