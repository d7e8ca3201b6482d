import type { Step } from "../step.ts";

/** A right login of a short while ago, from this process. What does not match is a miss, never a denial. */
export const readMemoryCache: Step = {
  name: "read-memory-cache",
  run: (attempt, { facts }, { resultCaches }) => {
    const cache = resultCaches?.begin(attempt);
    if (resultCaches === undefined || cache === undefined) return undefined;
    facts.cache = cache;
    const decision = resultCaches.readMemory(attempt, cache);
    if (decision !== undefined) facts.accountKnown = true;
    return decision;
  },
};
