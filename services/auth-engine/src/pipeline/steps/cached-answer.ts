import type { Ok } from "@postern/shared/contracts";
import type { CachedResult } from "../../result-cache/cached-result.ts";
import type { CacheFacts } from "../../result-cache/result-caches.ts";
import type { Attempt } from "../attempt.ts";
import type { StepContext, StepDeps } from "../step.ts";
import { noteAccount } from "./note-account.ts";

interface Hit {
  readonly found: CachedResult;
  readonly cache: CacheFacts;
}

/**
 * A hit as the decision, with the facts that its directory left. One whose directory is not in use any more is a miss:
 * nobody could say what policies want to know.
 */
export function cachedAnswer(
  { found, cache }: Hit,
  attempt: Attempt,
  context: StepContext,
  { directories }: StepDeps,
): Ok | undefined {
  const directory = directories.find(({ name }) => name === found.directory);
  if (directory === undefined) {
    delete cache.servedFrom;
    return undefined;
  }
  noteAccount(directory, found.decision.groups, attempt, context);
  // Tokens and app passwords are never cached.
  if (attempt.operation === "authenticate") context.facts.credential = "password";
  return found.decision;
}
