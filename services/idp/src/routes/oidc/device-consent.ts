import type { FlowRecord } from "../../flow/flow-record.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import { admit } from "../../visit/flow-visit.ts";
import { sendProblem, sessionOf, type Visit } from "../../visit/visit.ts";
import type { DeviceDeps } from "./show-device-code.ts";

export interface PendingConsent {
  readonly flow: FlowRecord;
  readonly session: BrowserSessionRecord;
  readonly browserToken: string;
}

/** The flow in the state `consent`, in the browser that has signed in for it. */
export async function atConsent(deps: DeviceDeps, visit: Visit): Promise<PendingConsent | undefined> {
  const passage = await admit(deps, visit, ["ready", "consent"]);
  if (passage === undefined) return undefined;
  const { browserToken } = passage;
  const session = await sessionOf(deps, visit);
  const moved = passage.flow.state === "ready" ? await deps.gate.move(passage.flow, "consent_required") : passage.flow;
  const flow = moved ?? (await deps.gate.reread(passage.flow.id));
  if (flow?.kind !== "device" || flow.state !== "consent" || session === undefined || flow.sessionUid !== session.uid) {
    sendProblem(deps.pages, visit, "expired");
    return undefined;
  }
  return { flow, session, browserToken };
}
