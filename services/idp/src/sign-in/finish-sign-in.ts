import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { isBrowserToken, newBrowserToken } from "../flow/browser-binding.ts";
import type { FlowRecord, PendingSignIn } from "../flow/flow-record.ts";
import { codesLowPage, passwordWarningPage } from "../pages/templates/after-sign-in.ts";
import type { NamedFactor } from "../second-factors/factor-proofs.ts";
import { cookieNames, deviceSeconds } from "../sessions/cookies.ts";
import { hrefIn } from "../visit/flow-visit.ts";
import {
  callContext,
  noteBrowserState,
  notificationOrigin,
  originOf,
  requestSession,
  sendOn,
  sendProblem,
  sessionOf,
  setCookie,
  showPage,
  type Visit,
} from "../visit/visit.ts";
import type { Completion, SignInMethod } from "./complete-sign-in.ts";
import type { FlowHandler, SignInContext } from "./context.ts";
import { reportSignIn, reportUndecided } from "./report.ts";

/** The page appears when this many codes or fewer are left. */
const few = 2;

/**
 * The page that warns after a sign-in that few recovery codes are left. Failures here never stop the sign-in.
 */
async function codesLowPlace(
  { store, decisionTimeoutMs, logger }: SignInContext,
  visit: Visit,
  flow: FlowRecord,
  account: string,
): Promise<string | undefined> {
  try {
    const { recoveryCodesLeft } = await store.enrolled(account, callContext(visit, decisionTimeoutMs()));
    return recoveryCodesLeft <= few ? hrefIn(pathTo("codesLowPage"), visit, flow) : undefined;
  } catch (err) {
    logger.warn({ session: visit.request.caller?.session, err }, "the remaining recovery codes cannot be counted");
    return undefined;
  }
}

const methodSeconds = 365 * 86_400;

/** Redirects the browser with its session, or shows that the flow has expired. */
export function sendCompletion(
  deps: SessionTaker,
  visit: Visit,
  flow: FlowRecord,
  completion: Completion,
): FastifyReply {
  return sendOn(deps.pages, visit, takeSession(deps, visit, completion), flow);
}

type SessionTaker = Pick<SignInContext, "pages" | "rememberMs">;

function takeSession({ pages, rememberMs }: SessionTaker, visit: Visit, completion: Completion): string | undefined {
  if (completion === undefined) return undefined;
  const { session, redirect } = completion;
  const maxAge = session.remember ? Math.floor(rememberMs / 1000) : undefined;
  setCookie(visit.reply, pages.cookies.set(cookieNames.session, session.sid, maxAge));
  noteBrowserState(pages, visit, session.uid, maxAge);
  return redirect;
}

export interface SignInEnd {
  readonly flow: FlowRecord;
  readonly pending: PendingSignIn;
  readonly method: SignInMethod | undefined;
  /** What was verified besides the password. */
  readonly factor: NamedFactor | undefined;
  /** A remembered device took the place of the second factor. */
  readonly isRemembered?: boolean;
  /** The user wishes not to be asked for the second factor again in this browser. */
  readonly isToRemember?: boolean;
}

/** Keeps the browser's device cookie, and notifies the user if the browser is new for the account. */
function noteDevice({ pages, notifier }: SignInContext, visit: Visit, { flow, pending }: SignInEnd): void {
  if (notifier === undefined) return;
  const { request, reply } = visit;
  const kept = pages.cookies.read(request.headers.cookie, cookieNames.device);
  const token = isBrowserToken(kept) ? kept : newBrowserToken();
  setCookie(reply, pages.cookies.set(cookieNames.device, token, deviceSeconds));
  const origin = notificationOrigin(pages, visit, pending.attributes, flow);
  notifier.signedIn({ account: pending.account, session: requestSession(request), origin }, token);
}

async function complete(deps: SignInContext, visit: Visit, signedIn: SignInEnd): Promise<Completion> {
  const { pages, completeSignIn, metrics, proofs } = deps;
  const { flow, pending, method, factor: named, isRemembered, isToRemember } = signedIn;
  const { request, reply } = visit;
  const { account } = pending;
  const report = { step: method ?? (isRemembered === true ? "remembered_device" : "password"), account } as const;
  const completion = await reportUndecided(deps, visit, { flow, ...report }, async () => {
    const proof = await proofs.ofSignIn(account, named, pending.isSuspicious === true);
    const completed = await completeSignIn.complete(flow, {
      pending,
      method,
      proof,
      cookie: pages.cookies.read(request.headers.cookie, cookieNames.session),
      origin: originOf(request),
    });
    if (completed !== undefined && isToRemember === true)
      await deps.deviceMemory.remember(visit, { flow, pending }, proof);
    return completed;
  });
  const end =
    completion === undefined
      ? ({ outcome: "denied", reason: "expired" } as const)
      : ({ outcome: "ok", passwordWarning: pending.passwordWarning } as const);
  metrics.signIn(report.step, end.outcome);
  reportSignIn(deps, visit, flow, { ...report, ...end });
  if (completion !== undefined) noteDevice(deps, visit, signedIn);
  const factor = method === "passkey" || method === "lost_phone" ? undefined : method;
  if (factor !== undefined) setCookie(reply, pages.cookies.set(cookieNames.method, factor, methodSeconds));
  return completion;
}

/** A page that the user sees before the application, about the password or the last recovery codes. */
async function pageBetween(deps: SignInContext, visit: Visit, { flow, pending, method }: SignInEnd) {
  // Factors are set up first, and that leads to the application.
  if ((pending.missing ?? []).length > 0) return undefined;
  if (pending.passwordWarning !== undefined) return hrefIn(pathTo("passwordWarningPage"), visit, flow);
  return method === "recovery" ? codesLowPlace(deps, visit, flow, pending.account) : undefined;
}

async function completeWithPage(deps: SignInContext, visit: Visit, signedIn: SignInEnd): Promise<Completion> {
  const completion = await complete(deps, visit, signedIn);
  if (completion === undefined) return undefined;
  const { session, redirect } = completion;
  return { session, redirect: (await pageBetween(deps, visit, signedIn)) ?? redirect };
}

/** Completes a sign-in for which everything required was verified. */
export async function finishSignIn(deps: SignInContext, visit: Visit, signedIn: SignInEnd): Promise<FastifyReply> {
  return sendCompletion(deps, visit, signedIn.flow, await completeWithPage(deps, visit, signedIn));
}

/** Answers a script: sets the session's cookie. @returns the redirect, or undefined if the flow has expired */
export async function completeFor(deps: SignInContext, visit: Visit, signedIn: SignInEnd): Promise<string | undefined> {
  return takeSession(deps, visit, await completeWithPage(deps, visit, signedIn));
}

/** `GET /login/codes`: the sign-in is complete and continues from this page. */
export const getCodesLow: FlowHandler = async (deps, visit, { flow }) => {
  const { pages, store, decisionTimeoutMs } = deps;
  const session = await sessionOf(deps, visit);
  if (session === undefined || session.uid !== flow.sessionUid) return sendProblem(pages, visit, "expired", { flow });
  const context = callContext(visit, decisionTimeoutMs());
  const { recoveryCodesLeft: left } = await store.enrolled(session.account, context);
  const view = { left, make: pathTo("recoveryCodesPage"), next: hrefIn(pathTo("loginPage"), visit, flow) };
  return showPage(pages, visit, { page: codesLowPage, view, flow });
};

/** `GET /login/password`: the sign-in is complete and continues from this page. */
export const getPasswordWarning: FlowHandler = async (deps, visit, { flow }) => {
  const { pages } = deps;
  const warning = flow.pending?.passwordWarning;
  if (warning === undefined) return sendProblem(pages, visit, "expired", { flow });
  const view = { ...warning, next: hrefIn(pathTo("loginPage"), visit, flow) };
  return showPage(pages, visit, { page: passwordWarningPage, view, flow });
};
