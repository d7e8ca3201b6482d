import type { FastifyReply, FastifyRequest } from "fastify";
import { readCsrfToken } from "../../flow/browser-binding.ts";
import type { FactorState } from "../../mfa/factor-store-nats.ts";
import { isFresh } from "../../mfa/freshness.ts";
import type { Outcome, Subject } from "../../mfa/subject.ts";

import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import type { LoginDeps } from "../login/deps.ts";
import { hasFactor } from "../mfa/member.ts";
import { notificationOrigin } from "../notification-origin.ts";
import { callContext, formVisit } from "../visit.ts";

/** The signed-in user who sends the request. */
export interface SignedIn {
  readonly session: BrowserSessionRecord;
  readonly subject: Subject;
  readonly state: FactorState;
}

export type Answer = (signedIn: SignedIn, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === "string" ? value : undefined;
}

/**
 * Whether our own page sends the request: the browser says so, or the request carries a page's token (OWASP, CSRF
 * prevention).
 */
function isOurs({ pages, origin }: LoginDeps, request: FastifyRequest, sessionUid: string): boolean {
  const site = headerOf(request, "sec-fetch-site");
  if (site !== undefined && site !== "same-origin") return false;
  const from = headerOf(request, "origin");
  if (from !== undefined) return from === origin;
  const token = headerOf(request, "x-csrf-token");
  const browserToken = pages.cookies.read(request.headers.cookie, cookieNames.flow);
  return site === "same-origin" || readCsrfToken(token, browserToken) === sessionUid;
}

/**
 * Wraps a handler of the MFA API: 401 without a session, 403 for foreign pages, and 403 `step_up_required` if the sign-in is too long ago.
 */
export function forSignedIn(deps: LoginDeps, isChange: boolean, answer: Answer) {
  const { pages, sessions, self, nowMs, decisionTimeoutMs } = deps;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    reply.header("cache-control", "no-store");
    const sid = pages.cookies.read(request.headers.cookie, cookieNames.session);
    const session = sid === undefined ? undefined : await sessions.findBySid(sid);
    if (session === undefined) return reply.code(401).send({ error: "session_missing" });
    if (isChange && !isOurs(deps, request, session.uid)) return reply.code(403).send({ error: "cross_site" });
    const visit = formVisit({ request, reply, path: "", language: undefined });
    const context = callContext(visit, decisionTimeoutMs());
    const origin = notificationOrigin(pages, visit, session.attributes);
    const subject = { account: session.account, sessionUid: session.uid, signIn: session, context, origin };
    const state = await self.read(subject);
    if (!isFresh(session, hasFactor(state), Math.floor(nowMs() / 1000))) {
      return reply.code(403).send({ error: "step_up_required" });
    }
    if (state === undefined) return reply.code(400).send({ error: "unsupported" });
    return answer({ session, subject, state }, request, reply);
  };
}

export function textIn(body: unknown, name: string): string {
  const value: unknown = typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;
  return typeof value === "string" ? value : "";
}

export function sendOutcome(reply: FastifyReply, outcome: Outcome, message: string): FastifyReply {
  if (outcome === "done") return reply.send({ status: "success", message });
  if (outcome === "doubted") return reply.code(403).send({ error: outcome });
  if (outcome === "absent") return reply.code(400).send({ error: "unknown" });
  return reply.code(outcome === "refused" ? 500 : 400).send({ error: outcome });
}
