import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { csrfToken, readCsrfToken } from "../flow/browser-binding.ts";
import { localPath } from "../flow/flow-paths.ts";
import type { FactorState } from "../second-factors/factor-store-nats.ts";
import { isFresh } from "../second-factors/freshness.ts";
import type { BrowserSessionRecord } from "../sessions/browser-session.ts";
import { cookieNames } from "../sessions/cookies.ts";
import type { VisitHandler } from "../visit/page-routes.ts";
import {
  callContext,
  csrfTokenIn,
  notificationOrigin,
  sendProblem,
  sendTo,
  sessionOf,
  type Visit,
} from "../visit/visit.ts";
import type { AccountContext } from "./context.ts";
import type { ChangeOutcome, FactorOwner } from "./factor-owner.ts";

/** The user of a signed-in browser. */
export interface Member {
  readonly session: BrowserSessionRecord;
  readonly owner: FactorOwner;
  /** For the page's forms. */
  readonly csrfToken: string;
}

/** Handles a visit by a signed-in user. */
export type MemberHandler = (context: AccountContext, visit: Visit, member: Member) => Promise<FastifyReply>;

/** Handles a visit by a user who has signed in recently, with the account's factors. */
export type FreshHandler = (
  context: AccountContext,
  visit: Visit,
  member: Member,
  state: FactorState,
) => Promise<FastifyReply>;

export const homePath = pathTo("registrationHome");

function browserTokenOf({ pages, starts }: AccountContext, { request, reply }: Visit): string {
  return request.method === "GET"
    ? starts.bind(request.raw, reply.raw)
    : (pages.cookies.read(request.headers.cookie, cookieNames.flow) ?? "");
}

export function ownerOf(
  { pages, decisionTimeoutMs }: Pick<AccountContext, "pages" | "decisionTimeoutMs">,
  visit: Visit,
  session: BrowserSessionRecord,
): FactorOwner {
  const context = callContext(visit, decisionTimeoutMs());
  const origin = notificationOrigin(pages, visit, session.attributes);
  return { account: session.account, sessionUid: session.uid, signIn: session, context, origin };
}

/** Admits signed-in browsers, 401 for others. Changes need the form's token for this session, otherwise 400. */
export function forMember(context: AccountContext, handler: MemberHandler): VisitHandler {
  const { pages } = context;
  return async (visit) => {
    const session = await sessionOf(context, visit);
    if (session === undefined) return sendProblem(pages, visit, "unauthenticated", { href: homePath });
    const browserToken = browserTokenOf(context, visit);
    const isChange = visit.request.method !== "GET";
    if (isChange && readCsrfToken(csrfTokenIn(visit), browserToken) !== session.uid) {
      return sendProblem(pages, visit, "request", { href: homePath });
    }
    const owner = ownerOf(context, visit, session);
    return handler(context, visit, { session, owner, csrfToken: csrfToken(session.uid, browserToken) });
  };
}

/** A self-service path in the language of this visit. */
export function here({ language }: Visit, path: string): string {
  return localPath(path, language?.tag);
}

/** The link back of a page that no sign-in waits for. */
export function backTo(visit: Visit, path: string = homePath) {
  return { back: here(visit, path), cancel: undefined };
}

/** Requires a new sign-in, which returns to `returnTo`. */
export async function stepUp(
  { starts }: Pick<AccountContext, "starts">,
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

/**
 * Continues with a user who has signed in recently. If the sign-in is too long ago, the user signs in again first and returns to `page` to
 * repeat the action.
 */
export async function whenFresh(
  context: Pick<AccountContext, "nowMs" | "starts">,
  visit: Visit,
  { member, state, page }: { readonly member: Member; readonly state: FactorState | undefined; readonly page: string },
  next: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  return isFresh(member.session, hasFactor(state), Math.floor(context.nowMs() / 1000))
    ? next()
    : stepUp(context, visit, member, here(visit, page));
}

/** `whenFresh` with the account's factors; 404 if its backend does not store any. */
export function forFresh(context: AccountContext, page: string, handler: FreshHandler): VisitHandler {
  return forMember(context, async (_context, visit, member) => {
    const state = await context.self.read(member.owner);
    return whenFresh(context, visit, { member, state, page }, async () =>
      state === undefined
        ? sendProblem(context.pages, visit, "not_found", { href: homePath })
        : handler(context, visit, member, state),
    );
  });
}

/** Answers a change that was refused; undefined if it was not. */
export function sendRefusal(
  { pages }: Pick<AccountContext, "pages">,
  visit: Visit,
  outcome: ChangeOutcome,
  href: string = homePath,
): FastifyReply | undefined {
  if (outcome === "doubted") return sendProblem(pages, visit, "doubted", { href });
  return outcome === "refused" ? sendProblem(pages, visit, "failed", { href }) : undefined;
}
