import type { Finish } from "../step.ts";
import { recordSuccess } from "./record-success.ts";
import { writeCaches } from "./write-caches.ts";

/**
 * The caches are written while the ban is looked at again, so that both take one round trip. An entry of a success that
 * is refused then does no harm: the ban is looked at before the caches are.
 */
export const keepSuccess: Finish = {
  name: "keep-success",
  run: (attempt, decision, { facts }, deps) => {
    if (decision.outcome !== "ok") return decision;
    const written = writeCaches(attempt, decision, facts, deps);
    const recorded = recordSuccess(attempt, decision, facts, deps);
    if (written === undefined) return recorded ?? decision;
    return recorded === undefined
      ? written.then(() => decision)
      : Promise.all([recorded, written]).then(([standing]) => standing);
  },
};
