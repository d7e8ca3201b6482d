import type { Step } from "../step.ts";
import { cachedAnswer } from "./cached-answer.ts";

/** A right login, or a look-up, that some engine made; Redis away or slow is a miss. */
export const readSharedCache: Step = {
  name: "read-shared-cache",
  run: (attempt, context, deps) => {
    const { cache } = context.facts;
    if (deps.resultCaches === undefined || cache === undefined) return undefined;
    const read = deps.resultCaches.readShared(attempt, cache);
    return read?.then((found) =>
      found === undefined ? undefined : cachedAnswer({ found, cache }, attempt, context, deps),
    );
  },
};
