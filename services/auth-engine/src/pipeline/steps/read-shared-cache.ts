import type { Ok } from "@postern/shared/contracts";
import type { Attempt } from "../../decision/attempt.ts";
import type { CacheState, ResultCaches } from "../../result-cache/result-caches.ts";
import type { Step, StepContext, StepDeps } from "../step.ts";
import { cachedAnswer } from "./cached-answer.ts";

async function read(
  attempt: Attempt,
  { resultCaches, cache }: { readonly resultCaches: ResultCaches; readonly cache: CacheState },
  context: StepContext,
  deps: StepDeps,
): Promise<Ok | undefined> {
  const found = await resultCaches.readShared(attempt, cache);
  return found === undefined ? undefined : cachedAnswer({ found, cache }, attempt, context, deps);
}

/** A recent success or lookup of any engine, from Redis, decides. A slow or unavailable Redis is a miss. */
export const readSharedCache: Step = {
  name: "read-shared-cache",
  run: (attempt, context, deps) => {
    const { resultCaches } = deps;
    const { cache } = context.facts;
    return resultCaches === undefined || cache === undefined
      ? undefined
      : read(attempt, { resultCaches, cache }, context, deps);
  },
};
