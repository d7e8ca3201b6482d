import type { FastifyReply } from "fastify";
import { isBrowserToken, newBrowserToken } from "../../flow/browser-binding.ts";
import type { FlowRecord, PendingSignIn } from "../../flow/flow-record.ts";
import type { Completion, SignInMethod } from "../../login/complete-sign-in.ts";
import { deviceSeconds } from "../../notices/known-devices.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import { auditVisit } from "../audit-visit.ts";
import { noticeOrigin } from "../notice-origin.ts";
import { sendProblem, sendTo, setCookie, type Visit } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";

const methodSeconds = 365 * 86_400;
const longestUserAgent = 256;

/** Sends the browser on with its session, or says that its errand is over. */
export function sendCompletion(deps: LoginDeps, visit: Visit, completion: Completion): FastifyReply {
  const redirect = takeSession(deps, visit, completion);
  return redirect === undefined ? sendProblem(deps.pages, visit, "expired") : sendTo(visit.reply, redirect);
}

function takeSession({ pages, rememberMs }: LoginDeps, visit: Visit, completion: Completion): string | undefined {
  if (completion.completion === "expired") return undefined;
  const { session, redirect } = completion;
  const maxAge = session.remember ? Math.floor(rememberMs / 1000) : undefined;
  setCookie(visit.reply, pages.cookies.set(cookieNames.session, session.sid, maxAge));
  return redirect;
}

export interface SignInEnd {
  readonly flow: FlowRecord;
  readonly pending: PendingSignIn;
  readonly method: SignInMethod | undefined;
}

/** The browser keeps its cookie; a sign-in of one that the account did not know is told. */
function noteDevice({ pages, notifier }: LoginDeps, visit: Visit, { flow, pending }: SignInEnd): void {
  if (notifier === undefined) return;
  const { request, reply } = visit;
  const kept = pages.cookies.read(request.headers.cookie, cookieNames.device);
  const token = isBrowserToken(kept) ? kept : newBrowserToken();
  setCookie(reply, pages.cookies.set(cookieNames.device, token, deviceSeconds));
  const origin = noticeOrigin(pages, visit, pending.attributes, flow);
  notifier.signedIn({ account: pending.account, session: request.caller?.session ?? request.id, origin }, token);
}

async function complete(deps: LoginDeps, visit: Visit, signedIn: SignInEnd): Promise<Completion> {
  const { pages, completeSignIn, logger, audit } = deps;
  const { flow, pending, method } = signedIn;
  const { request, reply } = visit;
  const completion = await completeSignIn.complete(flow, {
    pending,
    method,
    cookie: pages.cookies.read(request.headers.cookie, cookieNames.session),
    origin: {
      clientIp: request.caller?.clientIp ?? "",
      userAgent: (request.headers["user-agent"] ?? "").slice(0, longestUserAgent),
    },
  });
  const session = request.caller?.session;
  logger.info({ session, account: pending.account, kind: flow.kind, client: flow.client?.id, method }, "signed in");
  if (completion.completion === "signed_in") {
    const reason = method ?? "password";
    auditVisit(audit, request, {
      event: "user.login",
      outcome: "ok",
      actor: pending.account,
      target: flow.client?.id,
      reason,
    });
  }
  if (completion.completion === "signed_in") noteDevice(deps, visit, signedIn);
  const factor = method === "passkey" ? undefined : method;
  if (factor !== undefined) setCookie(reply, pages.cookies.set(cookieNames.method, factor, methodSeconds));
  return completion;
}

/** The end of a sign-in: all that was needed has been shown. */
export async function finishSignIn(deps: LoginDeps, visit: Visit, signedIn: SignInEnd): Promise<FastifyReply> {
  return sendCompletion(deps, visit, await complete(deps, visit, signedIn));
}

/** The same for a script: sets the session's cookie. @returns where to go, or undefined when the errand is over */
export async function completeFor(deps: LoginDeps, visit: Visit, signedIn: SignInEnd): Promise<string | undefined> {
  return takeSession(deps, visit, await complete(deps, visit, signedIn));
}
