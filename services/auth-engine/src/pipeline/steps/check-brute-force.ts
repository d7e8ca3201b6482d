import { blockedBy } from "../../brute-force/blocked-by.ts";
import type { Step } from "../step.ts";

/** Refuses a banned network before anything else happens, with one round trip to Redis. */
export const checkBruteForce: Step = {
  name: "check-brute-force",
  run: async (attempt, { facts }, { bruteForce }) => {
    if (bruteForce === undefined || attempt.operation !== "authenticate") return undefined;
    const found = await bruteForce.check(attempt);
    if (found === undefined) return undefined;
    facts.bruteForce = found;
    return blockedBy(found);
  },
};
