import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { localPath } from "../../flow/flow-paths.ts";
import type { LogoutFrame } from "../../oidc/logout/front-channel.ts";
import type { LogoutDecision, LogoutRequest } from "../../oidc/logout/logout-request.ts";
import type { Look } from "../../pages/look.ts";
import { formTargetOf } from "../../pages/policy-sources.ts";
import { signingOutPage } from "../../pages/templates/single-logout.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import type { SingleLogout } from "../../sessions/single-logout.ts";
import type { VisitContext as LoginDeps } from "../../visit/context.ts";
import {
  auditVisit,
  noteBrowserState,
  sendProblem,
  sendShown,
  sendTo,
  setCookie,
  type Visit,
  lookOf as visitLook,
} from "../../visit/visit.ts";

export interface LogoutDeps extends Pick<LoginDeps, "pages" | "sessions" | "logger" | "audit"> {
  readonly decide: (request: LogoutRequest, session: BrowserSessionRecord | undefined) => Promise<LogoutDecision>;
  readonly singleLogout: Pick<SingleLogout, "leave">;
  /** Logout pages of the clients that the session was used for. */
  readonly frames: (session: BrowserSessionRecord) => readonly LogoutFrame[];
}

/** Request fields that the confirmation form repeats; they are validated again. */
export const carried = ["client_id", "post_logout_redirect_uri", "state"] as const;

/** Time for clients' logout pages to load. */
const longestFrameMs = 3000;

export interface Seen extends LogoutDeps {
  readonly visit: Visit;
}

export function placeAfter(
  { returnTo }: Extract<LogoutDecision, { decision: "end" | "ask" }>,
  { language }: Visit,
): string {
  return returnTo ?? localPath(pathTo("loggedOutPage"), language?.tag);
}

export async function signOut(
  seen: Seen,
  session: BrowserSessionRecord | undefined,
  place: string,
): Promise<FastifyReply> {
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
  noteBrowserState(pages, visit, undefined);
  return frames.length === 0 ? sendTo(visit.reply, next) : showFrames(seen, frames, next);
}

/** Clients' logout pages in frames: they send no answer, so the browser continues when all have loaded, or after the timeout. */
function showFrames({ visit, pages }: Seen, frames: readonly LogoutFrame[], next: string): FastifyReply {
  const services = frames.map(({ name, address: frame }) => ({ name, state: "asking", frame }) as const);
  const frameTargets = [...new Set(frames.flatMap(({ address }) => formTargetOf(address) ?? []))];
  visit.reply.header("refresh", `${longestFrameMs / 1000}; url=${next}`);
  const look = visitLook(pages, { ...visit, path: "" });
  const view = { self: "", next, services, script: pages.assets.signOut.path };
  return sendShown(visit.reply, pages.show(signingOutPage, view, look, { frameTargets }));
}

export function lookOf({ visit, pages }: Seen, query: URLSearchParams): Look {
  return pages.lookOf({
    path: visit.path,
    query: `?${query.toString()}`,
    language: visit.language,
    uiLocales: query.get("ui_locales") ?? undefined,
    headers: visit.request.headers,
  });
}

const longestName = 200;

export function refuse({ visit, pages, logger }: Seen, why: string, request?: LogoutRequest): FastifyReply {
  const client = request?.clientId?.slice(0, longestName);
  logger.info({ session: visit.request.caller?.session, client, reason: why }, "logout refused");
  return sendProblem(pages, visit, "request");
}
