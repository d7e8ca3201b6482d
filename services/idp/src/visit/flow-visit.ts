import { maxUserNameLength, pathTo } from "@postern/shared/contracts";
import type { FormView } from "@postern/shared/platform/pages";
import type { FastifyReply } from "fastify";
import { csrfToken } from "../flow/browser-binding.ts";
import type { FlowGate, Passage } from "../flow/flow-gate.ts";
import { localPath, pageUrlOf } from "../flow/flow-paths.ts";
import type { FlowRecord } from "../flow/flow-record.ts";
import { type FlowState, mayCancel } from "../flow/flow-table.ts";
import type { Pages } from "../pages/pages.ts";
import { formTargetOf } from "../pages/policy-sources.ts";
import { cookieNames } from "../sessions/cookies.ts";
import type { VisitHandler } from "./page-routes.ts";
import { csrfTokenIn, sendOn, type Visit } from "./visit.ts";

/** The brand of the application's only domain, or else of the account or the name that the sign-in is about. */
async function chooseBrand({ brands }: Pages, { request }: Visit, flow: FlowRecord): Promise<void> {
  const { client, pending, accountId, params } = flow;
  const [own, ...others] = client?.domains ?? [];
  const isOne = own !== undefined && others.length === 0;
  const name = isOne ? `@${own}` : (pending?.account ?? accountId ?? params?.loginHint);
  if (name !== undefined && name.length <= maxUserNameLength) await brands?.choose(request, name);
}

/**
 * Admits a visit to its flow, or answers it: 400 without a flow, 302 to the flow's current page. If a form is
 * sent twice, the second request arrives after the flow has ended; `answerOver` then answers the visit.
 */
export async function admit(
  { gate, pages }: { readonly gate: FlowGate; readonly pages: Pages },
  visit: Visit,
  states: readonly FlowState[],
  answerOver?: (flow: FlowRecord) => Promise<FastifyReply>,
): Promise<Admitted | undefined> {
  const isPost = visit.request.method === "POST";
  const browserToken = pages.cookies.read(visit.request.headers.cookie, cookieNames.flow);
  const presented = { browserToken, flowId: visit.query("flow"), csrfToken: csrfTokenIn(visit) };
  const passage = await gate[isPost ? "submit" : "enter"](presented, states);
  if (passage.passage !== "none") await chooseBrand(pages, visit, passage.flow);
  if (passage.passage === "open") return passage;
  if (passage.passage === "over" && answerOver !== undefined) {
    await answerOver(passage.flow);
    return undefined;
  }
  const place = passage.passage === "elsewhere" ? pageUrlOf(passage.flow, visit.language?.tag) : undefined;
  sendOn(pages, visit, place, passage.passage === "none" ? undefined : passage.flow);
  return undefined;
}

/** A visit that was admitted to its flow. */
export type Admitted = Extract<Passage, { passage: "open" }>;

/** Handles the visits that `admit` admits. */
export function forFlow(
  gated: Parameters<typeof admit>[0],
  states: readonly FlowState[],
  handler: (visit: Visit, passage: Admitted) => Promise<FastifyReply>,
): VisitHandler {
  return async (visit) => {
    const passage = await admit(gated, visit, states);
    return passage === undefined ? visit.reply : handler(visit, passage);
  };
}

/** The form that cancels the sign-in; undefined if no application waits for it. */
export function cancelIn({ language }: Visit, flow: FlowRecord, browserToken: string): FormView | undefined {
  if (!mayCancel(flow)) return undefined;
  return { action: localPath(pathTo("cancelLogin"), language?.tag), csrfToken: csrfToken(flow.id, browserToken) };
}

export function hrefIn(path: string, { language }: Visit, flow: FlowRecord): string {
  return localPath(path, language?.tag, { flow: flow.id });
}

/** Where the forms of a flow's pages may finally lead. */
export function formTargets({ params }: FlowRecord): readonly string[] {
  const target = formTargetOf(params?.redirectUri);
  return target === undefined ? [] : [target];
}
