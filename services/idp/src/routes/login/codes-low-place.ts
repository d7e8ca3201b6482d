import { pathTo } from "@postern/shared/contracts";
import type { FlowRecord } from "../../flow/flow-record.ts";
import { callContext, hrefIn, type Visit } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";

const path = pathTo("codesLowPage");
/** The page appears when this many codes or fewer are left. */
const few = 2;

/**
 * The page that warns after a sign-in that few recovery codes are left. Failures here never stop the sign-in.
 */
export async function codesLowPlace(
  { factors, decisionTimeoutMs, logger }: LoginDeps,
  visit: Visit,
  flow: FlowRecord,
  account: string,
): Promise<string | undefined> {
  try {
    const { recoveryCodesLeft } = await factors.enrolled(account, callContext(visit, decisionTimeoutMs()));
    return recoveryCodesLeft <= few ? hrefIn(path, visit, flow) : undefined;
  } catch (err) {
    logger.warn({ session: visit.request.caller?.session, err }, "the remaining recovery codes cannot be counted");
    return undefined;
  }
}
