import type { AuthDecision } from "@postern/shared/contracts";
import type { BruteForceFacts } from "../../brute-force/brute-force.ts";
import type { Facts } from "../facts.ts";
import type { Step } from "../step.ts";

async function decisionOf(checking: Promise<BruteForceFacts>, facts: Facts): Promise<AuthDecision | undefined> {
  const found = await checking;
  facts.bruteForce = found;
  return found.rule === undefined ? undefined : { outcome: "blocked", rule: found.rule, memoryCache: "miss" };
}

/** A banned network is refused before anything else is asked; one round trip to Redis. */
export const checkBruteForce: Step = {
  name: "check-brute-force",
  run: (attempt, { facts }, { bruteForce }) => {
    if (bruteForce === undefined || attempt.operation !== "authenticate") return undefined;
    const checking = bruteForce.check(attempt);
    return checking === undefined ? undefined : decisionOf(checking, facts);
  },
};
