import type { AuthDecision, Ok } from "@postern/shared/contracts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { Finalizer } from "../pipeline/step.ts";
import type { RiskProtection } from "./risk.ts";
import type { RiskFacts, ScoredFacts } from "./sign-in.ts";

function respond(
  attempt: Attempt,
  decision: Ok,
  found: RiskFacts | undefined,
  { facts, risk }: { readonly facts: ScoredFacts; readonly risk: RiskProtection },
): AuthDecision {
  if (found === undefined) return decision;
  facts.risk = found;
  if (found.mode !== "enforce") return decision;
  const { refusal, responses } = found.verdict;
  const { bruteForce } = facts;
  if (bruteForce !== undefined && !found.isKnown && responses.has("delay")) {
    bruteForce.accountDelayMs = Math.max(bruteForce.accountDelayMs, risk.delayMs());
  }
  if (refusal === undefined) return decision;
  found.isRefused = true;
  const { memoryCache } = decision;
  return { outcome: "fail", reason: "risk", detail: refusal, memoryCache, ...risk.denialMessage(attempt) };
}

/**
 * Scores a sign-in with a correct password, from a backend or a cache, and refuses a token that a hold covers. Runs before the success is recorded: a refused
 * sign-in makes no network known and is not cached.
 */
export const assessRisk: Finalizer<ScoredFacts, { readonly risk: RiskProtection | undefined }> = {
  name: "assess-risk",
  run: (attempt, decision, { facts }, { risk }) => {
    if (risk === undefined || decision.outcome !== "ok" || facts.bruteForce?.riskRead === undefined) return decision;
    const found = risk.assess(attempt, decision, facts);
    return found instanceof Promise
      ? found.then((later) => respond(attempt, decision, later, { facts, risk }))
      : respond(attempt, decision, found, { facts, risk });
  },
};
