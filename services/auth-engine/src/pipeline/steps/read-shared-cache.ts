import type { Step } from "../step.ts";
import { cachedAnswer } from "./cached-answer.ts";

/** A recent success or lookup of any engine, from Redis, decides. A slow or unavailable Redis is a miss. */
export const readSharedCache: Step = {
  name: "read-shared-cache",
  run: async (attempt, context, deps) => {
    const { cache } = context.facts;
    if (deps.resultCaches === undefined || cache === undefined) return undefined;
    const found = await deps.resultCaches.readShared(attempt, cache);
    return found === undefined ? undefined : cachedAnswer({ found, cache }, attempt, context, deps);
  },
};
