import { pathTo } from "@postern/shared/contracts";
import type { FactorMethod } from "../flow/flow-record.ts";
import { acrOfRank, rankOfAcr, rankOfMethod } from "../second-factors/factor-levels.ts";
import type { FactorState } from "../second-factors/factor-store-nats.ts";
import { cookieNames } from "../sessions/cookies.ts";
import { sendCompletion } from "../sign-in/finish-sign-in.ts";
import { formTargets } from "../visit/flow-visit.ts";
import { noteBrowserState, sendProblem, sendTo, setCookie, type Visit } from "../visit/visit.ts";
import type { AccountContext } from "./context.ts";
import { hasFactor, here, homePath, type Member, type MemberHandler } from "./member.ts";

const references: Readonly<Record<FactorMethod, string>> = { totp: "otp", webauthn: "hwk", recovery: "otp" };

/** Setting up a factor proves it, so the session counts it as verified. */
export async function noteShown(
  { sessions, nowMs }: Pick<AccountContext, "sessions" | "nowMs">,
  { session }: Pick<Member, "session">,
  method: FactorMethod,
): Promise<void> {
  const rank = Math.max(rankOfAcr(session.acr) ?? 0, rankOfMethod(method));
  const amr = [...new Set([...(session.amr ?? []), references[method], "mfa"])];
  await sessions.merge(session.uid, { mfaTs: Math.floor(nowMs() / 1000), amr, acr: acrOfRank(rank) });
}

/** The sign-in in this browser that waits for a factor, if any. */
async function waitingFlow(
  { gate, pages }: Pick<AccountContext, "gate" | "pages">,
  { request }: Visit,
  { session }: Member,
) {
  const browserToken = pages.cookies.read(request.headers.cookie, cookieNames.flow);
  const passage = await gate.enter({ browserToken }, ["enrolment"]);
  return passage.passage === "open" && passage.flow.sessionUid === session.uid ? passage.flow : undefined;
}

/** Where the user continues after setting something up: the waiting sign-in, or else `page`. */
export async function nextPlace(
  context: AccountContext,
  visit: Visit,
  member: Member,
  page: string = homePath,
): Promise<string> {
  const flow = await waitingFlow(context, visit, member);
  return here(visit, flow === undefined ? page : pathTo("continueRegistration"));
}

/** Where the user continues after setting up a factor: as `nextPlace` says, except that recovery codes are offered after the first one. */
export function placeAfterFactor(
  context: AccountContext,
  visit: Visit,
  member: Member,
  { before, page }: { readonly before: FactorState; readonly page: string },
): Promise<string> {
  const isFirst = !hasFactor(before) && before.recoveryCodesLeft === 0;
  return nextPlace(context, visit, member, isFirst ? pathTo("recoveryCodesPage") : page);
}

/**
 * The links out of a page: home, or only cancelling if a sign-in waits. The form may lead to the waiting application,
 * because browsers apply the page's policy to the redirects after a form.
 */
export async function ways(context: AccountContext, visit: Visit, member: Member, back: string = homePath) {
  const flow = await waitingFlow(context, visit, member);
  return {
    links: {
      back: here(visit, back),
      cancel: flow === undefined ? undefined : here(visit, pathTo("cancelRegistration")),
    },
    options: { formTargets: flow === undefined ? [] : formTargets(flow) },
  };
}

const enrolmentPages: Readonly<Record<FactorMethod, string>> = {
  totp: pathTo("totpRegistrationPage"),
  webauthn: pathTo("webauthnRegistrationPage"),
  recovery: pathTo("recoveryCodesPage"),
};

function hasMethod(state: FactorState, method: FactorMethod): boolean {
  const { hasTotp, webauthnCredentials, recoveryCodesLeft } = state;
  return { totp: hasTotp, webauthn: webauthnCredentials.length > 0, recovery: recoveryCodesLeft > 0 }[method];
}

/** `GET /mfa/register/continue`: redirects to the next factor to set up, or continues the waiting sign-in. */
export const getContinue: MemberHandler = async (context, visit, member) => {
  const { gate, self, completeSignIn, pages } = context;
  const flow = await waitingFlow(context, visit, member);
  if (flow === undefined) return sendTo(visit.reply, here(visit, homePath));
  const state = await self.read(member.owner);
  if (state === undefined) return sendProblem(pages, visit, "unavailable");
  const next = (flow.pending?.missing ?? []).find((method) => !hasMethod(state, method));
  if (next !== undefined) return sendTo(visit.reply, here(visit, enrolmentPages[next]));
  const moved = await gate.move(flow, "enrolled");
  if (moved === undefined) return sendProblem(pages, visit, "expired", { flow });
  return sendCompletion(context, visit, moved, await completeSignIn.resume(moved, member.session));
};

/** `GET /mfa/register/cancel`: cancels the waiting sign-in and ends its session. */
export const getCancel: MemberHandler = async (context, visit, member) => {
  const { sessions, onEnded, pages } = context;
  const flow = await waitingFlow(context, visit, member);
  if (flow === undefined) return sendTo(visit.reply, here(visit, homePath));
  const ended = await sessions.end(member.session.uid);
  if (ended !== undefined) await onEnded(ended);
  setCookie(visit.reply, pages.cookies.set(cookieNames.session, "", 0));
  noteBrowserState(pages, visit, undefined);
  return sendTo(visit.reply, here(visit, pathTo("loggedOutPage")));
};
