import type { AuthDecision } from "@postern/shared/contracts";
import type { WireNames } from "./naming.ts";
import { authWait, type DialectReply, headerText } from "./reply.ts";

export type ReplyHeaders = DialectReply["headers"];

/** What nginx and others take for something else than a refusal. */
const statusWords = new Set(["", "OK", "WAIT"]);

/** `Auth-Status` of what is no success: the decision's message, or the endpoint's own words. */
export function refusalStatus(message: string | undefined, otherwise = "FAIL"): string {
  const status = headerText(message ?? otherwise);
  return statusWords.has(status.trim().toUpperCase()) ? "FAIL" : status;
}

const memoryCacheValue = { hit: "Hit", miss: "Miss" } as const;

/**
 * Contract, "Response headers of authentication endpoints": the headers that every decision has, with `Auth-User` on
 * success and `Auth-Wait` on denial. `authStatus` is in final form.
 */
export function decisionHeaders(
  names: WireNames,
  decision: AuthDecision,
  session: string,
  authStatus: string,
): ReplyHeaders {
  const denied = decision.outcome === "fail" || decision.outcome === "blocked";
  return [
    ["Auth-Status", authStatus],
    [names.session, session],
    ...(decision.outcome === "ok" ? [["Auth-User", headerText(decision.account)] as const] : []),
    [names.memoryCache, decision.outcome === "tempfail" ? "Miss" : memoryCacheValue[decision.memoryCache]],
    ...(denied ? authWait(decision) : []),
  ];
}
