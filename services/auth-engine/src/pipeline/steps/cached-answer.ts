import type { Ok } from "@postern/shared/contracts";
import type { Attempt } from "../../decision/attempt.ts";
import type { CachedResult } from "../../result-cache/cached-result.ts";
import type { CacheState } from "../../result-cache/result-caches.ts";
import type { StepContext, StepDeps } from "../step.ts";
import { noteAccount } from "./note-account.ts";

interface Hit {
  readonly found: CachedResult;
  readonly cache: CacheState;
}

/**
 * Turns a cache hit into a decision and sets the facts about its backend. It is a miss if that backend is no longer in
 * use, because policies could not query it.
 */
export function cachedAnswer(
  { found, cache }: Hit,
  attempt: Attempt,
  context: StepContext,
  { backends }: StepDeps,
): Ok | undefined {
  const backend = backends.find(({ name }) => name === found.backendName);
  if (backend === undefined) {
    delete cache.servedFrom;
    return undefined;
  }
  noteAccount(backend, found.decision.groups, attempt, context);
  // Tokens and app passwords are never cached.
  if (attempt.operation === "authenticate") context.facts.credential = "password";
  return found.decision;
}
