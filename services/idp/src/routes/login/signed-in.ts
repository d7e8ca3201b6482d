import type { FastifyReply } from "fastify";
import type { FactorMethod, FlowRecord, PendingSignIn } from "../../flow/flow-record.ts";
import type { Completion } from "../../login/complete-sign-in.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import { sendProblem, sendTo, setCookie, type Visit } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";

const methodSeconds = 365 * 86_400;
const longestUserAgent = 256;

/** Sends the browser on with its session, or says that its errand is over. */
export function sendCompletion(deps: LoginDeps, visit: Visit, completion: Completion): FastifyReply {
  const { pages, rememberMs } = deps;
  if (completion.completion === "expired") return sendProblem(pages, visit, "expired");
  const { session, redirect } = completion;
  const maxAge = session.remember ? Math.floor(rememberMs / 1000) : undefined;
  setCookie(visit.reply, pages.cookies.set(cookieNames.session, session.sid, maxAge));
  return sendTo(visit.reply, redirect);
}

/** The end of a sign-in: all that was needed has been shown. */
export async function finishSignIn(
  deps: LoginDeps,
  visit: Visit,
  signedIn: { readonly flow: FlowRecord; readonly pending: PendingSignIn; readonly method: FactorMethod | undefined },
): Promise<FastifyReply> {
  const { pages, completeSignIn, logger } = deps;
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
  if (method !== undefined) setCookie(reply, pages.cookies.set(cookieNames.method, method, methodSeconds));
  return sendCompletion(deps, visit, completion);
}
