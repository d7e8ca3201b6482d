import { BackendKind, type Ok } from "@postern/shared/contracts";
import type { BruteForceFacts } from "../../brute-force/brute-force.ts";
import type { Finish } from "../step.ts";

/** A cached success was looked at when it was cached; only one that follows failures has news. */
function hasNews(decision: Ok, { pending }: BruteForceFacts): boolean {
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
    if (bruteForce === undefined || found === undefined) return decision;
    if (attempt.operation !== "authenticate" || decision.outcome !== "ok" || !hasNews(decision, found)) return decision;
    // Of two users it is the master whose password was right.
    const account = attempt.masterLogin === undefined ? decision.account : attempt.username;
    return bruteForce
      .recordSuccess(attempt, account, found)
      .then(() =>
        found.rule === undefined ? decision : { outcome: "blocked", rule: found.rule, memoryCache: "miss" },
      );
  },
};
