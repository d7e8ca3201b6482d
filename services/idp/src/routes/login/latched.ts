import type { FastifyReply } from "fastify";
import { placeOf } from "../../flow/flow-paths.ts";
import type { FlowRecord } from "../../flow/flow-record.ts";
import { sendProblem, sendTo, type Visit } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";

/** Whom the audit stream may name: no password has proved the account of a latched sign-in. */
export function provedAccount({ state, pending }: FlowRecord): string | undefined {
  return state === "latched" ? undefined : pending?.account;
}

type Parts = Pick<LoginDeps, "pages" | "gate" | "logger">;

/** The factor was right and the password before it was not: back to the first page, which says that it failed. */
export async function placeAfterRefusal(
  { gate, logger }: Parts,
  visit: Visit,
  flow: FlowRecord,
): Promise<string | undefined> {
  const session = visit.request.caller?.session;
  logger.info({ session, account: flow.pending?.account, client: flow.client?.id }, "sign-in refused after its factor");
  const back = await gate.restart(flow, { hasFailed: true });
  return back === undefined ? undefined : placeOf(back, visit.language?.tag);
}

export async function refuseLatched(deps: Parts, visit: Visit, flow: FlowRecord): Promise<FastifyReply> {
  const place = await placeAfterRefusal(deps, visit, flow);
  return place === undefined ? sendProblem(deps.pages, visit, "expired") : sendTo(visit.reply, place);
}
