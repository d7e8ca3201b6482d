import type { Step } from "../step.ts";

/** A right login, or a look-up, that some engine made; Redis away or slow is a miss. */
export const readSharedCache: Step = {
  name: "read-shared-cache",
  run: (attempt, { facts }, { resultCaches }) => {
    if (resultCaches === undefined || facts.cache === undefined) return undefined;
    const read = resultCaches.readShared(attempt, facts.cache);
    return read?.then((decision) => {
      if (decision !== undefined) facts.accountKnown = true;
      return decision;
    });
  },
};
