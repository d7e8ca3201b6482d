import type { Finish } from "../step.ts";

/**
 * What a directory verified is kept, unless a flush came meanwhile. Only a success that stands by now: what was blocked
 * is no success any more.
 */
export const writeCaches: Finish = {
  name: "write-caches",
  run: (attempt, decision, { facts }, { resultCaches }) => {
    if (resultCaches === undefined || facts.cache === undefined || decision.outcome !== "ok") return decision;
    const written = resultCaches.write(attempt, decision, facts.cache, facts.directory);
    return written === undefined ? decision : written.then(() => decision);
  },
};
