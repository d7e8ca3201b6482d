import { pageUrlOf } from "../../flow/flow-paths.ts";
import type { FactorMethod, FlowRecord, PendingSignIn } from "../../flow/flow-record.ts";
import { factorStates } from "../../flow/flow-table.ts";
import { admit, sendOn, type Visit } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";

/** A flow whose password step is complete, at one of its factors. */
export interface FlowAtFactor {
  readonly flow: FlowRecord;
  readonly pending: PendingSignIn;
  readonly browserToken: string;
}

/** The flow at this factor; undefined if the visit was redirected instead. */
export async function flowAtFactor(
  deps: LoginDeps,
  visit: Visit,
  method: FactorMethod,
): Promise<FlowAtFactor | undefined> {
  const passage = await admit(deps, visit, factorStates);
  if (passage === undefined) return undefined;
  const { flow, browserToken } = passage;
  const { pending } = flow;
  if (pending?.methods.includes(method) === true) return { flow, pending, browserToken };
  sendOn(deps.pages, visit, pageUrlOf(flow, visit.language?.tag), flow);
  return undefined;
}
