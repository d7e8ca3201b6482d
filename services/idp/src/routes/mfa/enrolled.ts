import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import type { FactorMethod } from "../../flow/flow-record.ts";
import { acrOfRank, rankOfAcr, rankOfMethod } from "../../login/acr.ts";
import type { FactorState } from "../../mfa/factor-store-nats.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import type { LoginDeps } from "../login/deps.ts";
import { formTargets, sendTo, type Visit } from "../visit.ts";
import { hasFactor, here, homePath, type Member } from "./member.ts";

const references: Readonly<Record<FactorMethod, string>> = { totp: "otp", webauthn: "hwk", recovery: "otp" };

/** Setting up a factor proves it, so the session counts it as verified. */
export async function noteShown(
  { sessions, nowMs }: Pick<LoginDeps, "sessions" | "nowMs">,
  { session }: Member,
  method: FactorMethod,
): Promise<void> {
  const rank = Math.max(rankOfAcr(session.acr) ?? 0, rankOfMethod(method));
  const amr = [...new Set([...(session.amr ?? []), references[method], "mfa"])];
  await sessions.merge(session.uid, { mfaTs: Math.floor(nowMs() / 1000), amr, acr: acrOfRank(rank) });
}

/** The sign-in in this browser that waits for a factor, if any. */
export async function waitingFlow(
  { gate, pages }: Pick<LoginDeps, "gate" | "pages">,
  { request }: Visit,
  { session }: Member,
) {
  const browserToken = pages.cookies.read(request.headers.cookie, cookieNames.flow);
  const passage = await gate.enter({ browserToken }, ["enrolment"]);
  return passage.passage === "open" && passage.flow.sessionUid === session.uid ? passage.flow : undefined;
}

/** The location after a factor was set up. */
async function nextPlace(deps: LoginDeps, visit: Visit, member: Member): Promise<string> {
  const flow = await waitingFlow(deps, visit, member);
  return here(visit, flow === undefined ? homePath : pathTo("continueRegistration"));
}

/**
 * After a factor was set up: continues the waiting sign-in, or offers recovery codes after the first factor, or shows
 * `page`.
 */
export async function placeAfterFactor(
  deps: LoginDeps,
  visit: Visit,
  member: Member,
  { before, page }: { readonly before: FactorState; readonly page: string },
): Promise<string> {
  if ((await waitingFlow(deps, visit, member)) !== undefined) return here(visit, pathTo("continueRegistration"));
  const isFirst = !hasFactor(before) && before.recoveryCodesLeft === 0;
  return here(visit, isFirst ? pathTo("recoveryCodesPage") : page);
}

export async function sendOn(deps: LoginDeps, visit: Visit, member: Member): Promise<FastifyReply> {
  return sendTo(visit.reply, await nextPlace(deps, visit, member));
}

/**
 * The links out of a page: home, or only cancelling if a sign-in waits. The form may lead to the waiting application,
 * because browsers apply the page's policy to the redirects after a form.
 */
export async function ways(deps: LoginDeps, visit: Visit, member: Member, back: string = homePath) {
  const flow = await waitingFlow(deps, visit, member);
  return {
    links: {
      back: here(visit, back),
      cancel: flow === undefined ? undefined : here(visit, pathTo("cancelRegistration")),
    },
    options: { formTargets: flow === undefined ? [] : formTargets(flow) },
  };
}
