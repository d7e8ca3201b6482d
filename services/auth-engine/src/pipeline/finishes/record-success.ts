import type { AuthDecision, Ok } from "@postern/shared/contracts";
import type { Attempt } from "../attempt.ts";
import type { Facts } from "../facts.ts";
import type { StepDeps } from "../step.ts";

/** A cached success was looked at when it was cached; only one that follows failures has news. */
function hasNews({ bruteForce, cache }: Facts): boolean {
  return bruteForce?.pending === true || cache?.servedFrom === undefined;
}

/**
 * A success is learned from, and looks at the ban once more: a right password that was verified while others guessed
 * is refused when the limit was reached meanwhile. Undefined where there is nothing to tell.
 */
export function recordSuccess(
  attempt: Attempt,
  decision: Ok,
  facts: Facts,
  { bruteForce }: StepDeps,
): Promise<AuthDecision> | undefined {
  const found = facts.bruteForce;
  if (bruteForce === undefined || found === undefined) return undefined;
  if (attempt.operation !== "authenticate" || !hasNews(facts)) return undefined;
  // Of two users it is the master whose password was right.
  const account = attempt.masterLogin === undefined ? decision.account : attempt.username;
  return bruteForce
    .recordSuccess(account, found)
    .then(() => (found.rule === undefined ? decision : { outcome: "blocked", rule: found.rule, memoryCache: "miss" }));
}
