import { type AuthDecision, BackendKind } from "@postern/shared/contracts";
import type { BruteForceFacts } from "../../brute-force/brute-force.ts";
import type { Finish } from "../step.ts";

/** A cached success was looked at when it was cached; only one that follows failures has news. */
function hasNews(decision: AuthDecision, { pending }: BruteForceFacts): boolean {
  if (decision.outcome !== "ok") return false;
  const { backend, memoryCache } = decision;
  const cached = memoryCache === "hit" || backend === BackendKind.cache || backend === BackendKind.memory;
  return pending || !cached;
}

/**
 * A success is learned from, and looks at the ban once more: a right password that was verified while others guessed
 * is refused when the limit was reached meanwhile.
 */
export const recordSuccess: Finish = {
  name: "record-success",
  run: (attempt, decision, { facts }, { bruteForce }) => {
    const found = facts.bruteForce;
    if (bruteForce === undefined || found === undefined || !hasNews(decision, found)) return decision;
    return bruteForce
      .recordSuccess(attempt, found)
      .then(() =>
        found.rule === undefined ? decision : { outcome: "blocked", rule: found.rule, memoryCache: "miss" },
      );
  },
};
