import type { Step } from "../step.ts";

/** A banned network is refused before anything else is asked; one round trip to Redis. */
export const checkBruteForce: Step = {
  name: "check-brute-force",
  run: (attempt, { facts }, { bruteForce }) => {
    if (bruteForce === undefined || attempt.operation !== "authenticate") return undefined;
    return bruteForce.check(attempt)?.then((found) => {
      facts.bruteForce = found;
      return found.rule === undefined ? undefined : { outcome: "blocked", rule: found.rule, memoryCache: "miss" };
    });
  },
};
