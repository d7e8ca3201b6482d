import type { AuthOperation } from "@postern/shared/contracts";
import { remainingMs } from "@postern/shared/platform/concurrency";
import { steadyClock } from "@postern/shared/platform/time";
import type { CallerPatience } from "../auth/decide.ts";
import { type CallerFinding, domainsOf, isToken, judge, settledFinding } from "../callers/authenticate.ts";
import { bearerName } from "../callers/bearer.ts";
import type { ScopeNeed } from "../callers/demands.ts";
import { outcomeRow } from "../callers/outcome.ts";
import { createReportRejected, RejectionDelay } from "../callers/reject.ts";
import type { RequestFacts } from "../dialects/complete-request.ts";
import type { Foundation } from "../foundation.ts";

function settled(found: Promise<CallerFinding>, { deadlineMs, signal }: CallerPatience, timeoutMs: number) {
  const waitMs = Math.min(timeoutMs, remainingMs(deadlineMs, steadyClock));
  return settledFinding(found, waitMs, (leave) => {
    const onAbort = (): void => leave(deadlineMs <= steadyClock.now() ? "deadline_exceeded" : "canceled");
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    return () => signal.removeEventListener("abort", onAbort);
  });
}

function nameOf(finding: CallerFinding): string | null {
  if (typeof finding === "string") return null;
  return finding.outcome === "ok_basic" ? finding.caller.name : bearerName(finding.token);
}

/**
 * Authenticates the caller of one call like the HTTP listeners, but without a failure budget. A token is a temporary failure if no token
 * verification is configured. Resolves when the caller may be answered: a rejection of wrong credentials is delayed by 300 ms. The result's
 * `domains` are undefined for all.
 */
export function createCheckCall({ live, callerTokens, counts, logger, audit }: Foundation, need: ScopeNeed) {
  const delay = new RejectionDelay();
  const reportRejected = createReportRejected(logger, audit, "grpc");
  const demand = { needOf: () => need, actionOf: (operation: AuthOperation) => operation };
  const find = async (
    authorization: string | undefined,
    callerIp: string,
    patience: CallerPatience,
  ): Promise<CallerFinding> => {
    if (callerTokens.check === undefined && isToken(authorization ?? "")) return "not_configured";
    const found = live.current.checkCaller(authorization, () => callerIp);
    return found instanceof Promise ? settled(found, patience, live.current.decisionTimeoutMs) : found;
  };
  return async (
    authorization: string | undefined,
    { session, clientIp: callerIp }: RequestFacts,
    operation: AuthOperation,
    patience: CallerPatience,
  ) => {
    const finding = await find(authorization, callerIp, patience);
    const outcome = judge(finding, operation, demand);
    const name = nameOf(finding);
    if (typeof finding !== "string" && finding.outcome === "ok_basic")
      counts.basicCallerChecked(finding.caller.name, outcome);
    counts.callerChecked(outcome);
    const { logReason, delayedOnGrpc } = outcomeRow(outcome);
    if (logReason !== "none") {
      const caller = outcome === "operation_denied" ? (name ?? undefined) : undefined;
      reportRejected({ outcome, session, callerIp, caller });
    }
    if (delayedOnGrpc) await delay.over(patience.signal);
    return { outcome, name, domains: domainsOf(finding) };
  };
}
