import type { Base } from "@postern/shared/assembly";
import type { AuthOperation } from "@postern/shared/contracts";
import type { CallerDomains } from "@postern/shared/domain/domains";
import { remainingMs } from "@postern/shared/platform/concurrency";
import { steadyClock } from "@postern/shared/platform/time";
import type { CallerPatience } from "../auth/decide.ts";
import { type CallerFinding, domainsOf, isToken, judge, settledFinding } from "../callers/authenticate.ts";
import { bearerName } from "../callers/bearer.ts";
import type { ScopeNeed } from "../callers/demands.ts";
import { type CallerAuthOutcome, outcomeRow } from "../callers/outcome.ts";
import { createReportRejected, RejectionDelay } from "../callers/reject.ts";
import type { GatewayMetrics } from "../metrics.ts";
import type { Live } from "../settings.ts";

interface CheckCallParts extends Pick<Base, "logger" | "audit"> {
  readonly live: Live;
  /** Whether token verification is configured. */
  readonly takesTokens: boolean;
  readonly need: ScopeNeed;
  readonly metrics: GatewayMetrics;
}

interface CallerOfCall {
  readonly session: string;
  readonly authorization: string | undefined;
  readonly callerIp: string;
  readonly operation: AuthOperation;
  readonly patience: CallerPatience;
}

interface CheckedCall {
  readonly outcome: CallerAuthOutcome;
  readonly name: string | null;
  /** What the caller may reach; undefined for all domains. */
  readonly domains: CallerDomains | undefined;
}

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
 * verification is configured. Resolves when the caller may be answered: a rejection of wrong credentials is delayed by 300 ms.
 */
export function createCheckCall({ live, takesTokens, need, metrics, logger, audit }: CheckCallParts) {
  const delay = new RejectionDelay();
  const reportRejected = createReportRejected(logger, audit, "grpc");
  const demand = { needOf: () => need, actionOf: (operation: AuthOperation) => operation };
  const find = async ({ authorization, callerIp, patience }: CallerOfCall): Promise<CallerFinding> => {
    if (!takesTokens && isToken(authorization ?? "")) return "not_configured";
    const found = live.current.checkCaller(authorization, () => callerIp);
    return found instanceof Promise ? settled(found, patience, live.current.decisionTimeoutMs) : found;
  };
  return async (call: CallerOfCall): Promise<CheckedCall> => {
    const finding = await find(call);
    const outcome = judge(finding, call.operation, demand);
    const name = nameOf(finding);
    if (typeof finding !== "string" && finding.outcome === "ok_basic")
      metrics.basicCallerChecked(finding.caller.name, outcome);
    metrics.callerChecked(outcome);
    const { logReason, delayedOnGrpc } = outcomeRow(outcome);
    if (logReason !== "none") {
      const caller = outcome === "operation_denied" ? (name ?? undefined) : undefined;
      reportRejected({ outcome, session: call.session, callerIp: call.callerIp, caller });
    }
    if (delayedOnGrpc) await delay.over(call.patience.signal);
    return { outcome, name, domains: domainsOf(finding) };
  };
}

export type CheckCall = ReturnType<typeof createCheckCall>;
