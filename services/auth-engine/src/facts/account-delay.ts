import type { AuthDecision } from "@postern/shared/contracts";
import type { Facts } from "./facts.ts";

/**
 * Adds the account delay (`holdMs`) to a success or a `fail`, whichever step or finalizer decided it. The service that
 * answers the client waits this long.
 */
export function withAccountDelay(decision: AuthDecision, { bruteForce }: Facts): AuthDecision {
  const holdMs = bruteForce?.accountDelayMs ?? 0;
  return holdMs > 0 && (decision.outcome === "ok" || decision.outcome === "fail") ? { ...decision, holdMs } : decision;
}
