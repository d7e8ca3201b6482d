import type { FastifyReply } from "fastify";
import type { FactorMethod } from "../../flow/flow-record.ts";
import { acrOfRank, rankOfAcr, rankOfMethod } from "../../login/acr.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import type { LoginDeps } from "../login/deps.ts";
import { sendTo, type Visit } from "../visit.ts";
import { here, homePath, type Member } from "./member.ts";

const references: Readonly<Record<FactorMethod, string>> = { totp: "otp", webauthn: "hwk", recovery: "otp" };

/** Setting a factor up has shown it: the session is as if it had been asked for. */
export async function noteShown(
  { sessions, nowMs }: Pick<LoginDeps, "sessions" | "nowMs">,
  { session }: Member,
  method: FactorMethod,
): Promise<void> {
  const rank = Math.max(rankOfAcr(session.acr) ?? 0, rankOfMethod(method));
  const amr = [...new Set([...(session.amr ?? []), references[method], "mfa"])];
  await sessions.merge(session.uid, { mfaTs: Math.floor(nowMs() / 1000), amr, acr: acrOfRank(rank) });
}

/** The sign-in that waits for this browser's factor, if there is one. */
export async function waitingFlow(
  { gate, pages }: Pick<LoginDeps, "gate" | "pages">,
  { request }: Visit,
  { session }: Member,
) {
  const browserToken = pages.cookies.read(request.headers.cookie, cookieNames.flow);
  const passage = await gate.enter({ browserToken }, ["enrolment"]);
  return passage.passage === "open" && passage.flow.sessionUid === session.uid ? passage.flow : undefined;
}

/** Where a user goes who has set something up. */
export async function nextPlace(deps: LoginDeps, visit: Visit, member: Member): Promise<string> {
  const flow = await waitingFlow(deps, visit, member);
  return here(visit, flow === undefined ? homePath : "/mfa/register/continue");
}

export async function sendOn(deps: LoginDeps, visit: Visit, member: Member): Promise<FastifyReply> {
  return sendTo(visit.reply, await nextPlace(deps, visit, member));
}

/** The way out of a page: home, or while a sign-in waits only its end. */
export async function ways(deps: LoginDeps, visit: Visit, member: Member, back: string = homePath) {
  const flow = await waitingFlow(deps, visit, member);
  return {
    back: here(visit, back),
    cancel: flow === undefined ? undefined : here(visit, "/mfa/register/cancel"),
  };
}
