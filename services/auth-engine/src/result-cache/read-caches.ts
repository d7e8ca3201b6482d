import type { Ok } from "@postern/shared/contracts";
import { noteAccount } from "../backends/found-account.ts";
import type { BackendDeps } from "../backends/verify-in-backends.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { Step, StepContext } from "../pipeline/step.ts";
import type { CachedResult } from "./cached-result.ts";
import type { CachedFacts, CacheState, ResultCaches } from "./result-caches.ts";

export interface CachesDep {
  readonly resultCaches: ResultCaches | undefined;
}

interface Hit {
  readonly found: CachedResult;
  readonly cache: CacheState;
}

/**
 * Turns a cache hit into a decision and sets the facts about its backend. It is a miss if that backend is no longer in
 * use, because policies could not query it.
 */
function cachedAnswer(
  { found, cache }: Hit,
  attempt: Attempt,
  context: StepContext<CachedFacts>,
  { backends }: CachesDep & BackendDeps,
): Ok | undefined {
  const among = backends.of(attempt.username, attempt.domain);
  // The record of the domain has just expired: the backends are queried, as for any miss.
  const backend = among instanceof Promise ? undefined : among.find(({ name }) => name === found.backendName);
  if (among instanceof Promise) among.catch(() => undefined);
  if (backend === undefined) {
    delete cache.servedFrom;
    return undefined;
  }
  noteAccount(backend, found.decision.groups, attempt, context);
  // Tokens and app passwords are never cached.
  if (attempt.operation === "authenticate") context.facts.credential = "password";
  return found.decision;
}

/** A recent success from this process's memory decides. Anything that does not match is a miss, never a denial. */
export const readMemoryCache: Step<CachedFacts, CachesDep & BackendDeps> = {
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

async function answerOfSharedCache(
  attempt: Attempt,
  { resultCaches, cache }: { readonly resultCaches: ResultCaches; readonly cache: CacheState },
  context: StepContext<CachedFacts>,
  deps: CachesDep & BackendDeps,
): Promise<Ok | undefined> {
  const found = await resultCaches.readShared(attempt, cache);
  return found === undefined ? undefined : cachedAnswer({ found, cache }, attempt, context, deps);
}

/** A recent success or lookup of any engine, from Redis, decides. A slow or unavailable Redis is a miss. */
export const readSharedCache: Step<CachedFacts, CachesDep & BackendDeps> = {
  name: "read-shared-cache",
  run: (attempt, context, deps) => {
    const { resultCaches } = deps;
    const { cache } = context.facts;
    return resultCaches === undefined || cache === undefined
      ? undefined
      : answerOfSharedCache(attempt, { resultCaches, cache }, context, deps);
  },
};
