import type { Step } from "../step.ts";
import { cachedAnswer } from "./cached-answer.ts";

/** A recent success from this process's memory decides. Anything that does not match is a miss, never a denial. */
export const readMemoryCache: Step = {
  name: "read-memory-cache",
  run: (attempt, context, deps) => {
    const { resultCaches } = deps;
    const cache = resultCaches?.begin(attempt);
    if (resultCaches === undefined || cache === undefined) return undefined;
    context.facts.cache = cache;
    const found = resultCaches.readMemory(attempt, cache);
    return found === undefined ? undefined : cachedAnswer({ found, cache }, attempt, context, deps);
  },
};
