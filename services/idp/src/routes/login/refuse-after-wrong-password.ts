import type { FastifyReply } from "fastify";
import { pageUrlOf } from "../../flow/flow-paths.ts";
import type { FlowRecord } from "../../flow/flow-record.ts";
import type { SignInStep } from "../../metrics.ts";
import { referenceIn, sendOn, type Visit } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";
import { type ReportDeps, reportSignIn } from "./report.ts";

type Parts = ReportDeps & Pick<LoginDeps, "pages" | "gate">;

/** The factor was correct but the password was not: returns to the first page, which says that the sign-in failed. */
export async function placeAfterRefusal(
  deps: Parts,
  visit: Visit,
  flow: FlowRecord,
  step: SignInStep,
): Promise<string | undefined> {
  const account = flow.pending?.account;
  reportSignIn(deps, visit, flow, { step, outcome: "denied", reason: "wrong_password_before", account });
  const back = await deps.gate.restart(flow, { hasFailed: true, failedReference: referenceIn(visit) });
  return back === undefined ? undefined : pageUrlOf(back, visit.language?.tag);
}

export async function refuseAfterWrongPassword(
  deps: Parts,
  visit: Visit,
  flow: FlowRecord,
  step: SignInStep,
): Promise<FastifyReply> {
  return sendOn(deps.pages, visit, await placeAfterRefusal(deps, visit, flow, step), flow);
}
