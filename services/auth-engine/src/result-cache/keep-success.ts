import type { AuthDecision, Ok } from "@postern/shared/contracts";
import { blockedBy } from "../brute-force/brute-force.ts";
import type { BruteForceDep } from "../brute-force/brute-force-steps.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { Finalizer } from "../pipeline/step.ts";
import type { CachesDep } from "./read-caches.ts";
import type { CachedFacts } from "./result-caches.ts";

/** A cached success was recorded when it was cached. It is recorded again only if failures preceded it. */
function needsRecord({ bruteForce, cache }: CachedFacts): boolean {
  return bruteForce?.pending === true || cache?.servedFrom === undefined;
}

/**
 * Records a success and checks the ban again: a correct password is refused if other guesses reached the limit while it
 * was verified.
 */
async function recordSuccess(
  attempt: Attempt,
  decision: Ok,
  facts: CachedFacts,
  { bruteForce }: BruteForceDep,
): Promise<AuthDecision> {
  const found = facts.bruteForce;
  if (bruteForce === undefined || found === undefined) return decision;
  if (attempt.operation !== "authenticate" || !needsRecord(facts)) return decision;
  // With a master user, the correct password was the master user's.
  const account = attempt.masterLogin === undefined ? decision.account : attempt.username;
  await bruteForce.recordSuccess(account, found);
  // Guesses say nothing about a token.
  return facts.credential === "token" ? decision : (blockedBy(found) ?? decision);
}

/** Caches what a backend verified, unless the account was flushed in between. Never rejects. */
async function writeCaches(
  attempt: Attempt,
  decision: Ok,
  { cache, backendName: backend }: CachedFacts,
  { resultCaches }: CachesDep,
): Promise<void> {
  if (resultCaches === undefined || cache === undefined || backend === undefined) return;
  await resultCaches.write(attempt, { decision, backendName: backend }, cache);
}

async function keep(
  attempt: Attempt,
  decision: Ok,
  facts: CachedFacts,
  deps: BruteForceDep & CachesDep,
): Promise<AuthDecision> {
  const written = writeCaches(attempt, decision, facts, deps);
  const recorded = recordSuccess(attempt, decision, facts, deps);
  const [standing] = await Promise.all([recorded, written]);
  return standing;
}

/**
 * Whether there is anything to write. There is nothing for a success from this process's memory without failures before it, which was kept
 * when it was first made, and for a success that is neither cached nor recorded, such as a lookup without caches.
 */
function needsKeeping({ operation }: Attempt, { cache, bruteForce }: CachedFacts): boolean {
  if (cache?.servedFrom === "memory" && bruteForce?.pending !== true) return false;
  return cache !== undefined || (operation === "authenticate" && bruteForce !== undefined);
}

/**
 * Checks the ban again and writes the caches in one round trip. The cache entry of a success that the ban then refuses
 * is harmless, because the ban is checked before the caches are read.
 */
export const keepSuccess: Finalizer<CachedFacts, BruteForceDep & CachesDep> = {
  name: "keep-success",
  run: (attempt, decision, { facts }, deps) =>
    decision.outcome === "ok" && needsKeeping(attempt, facts) ? keep(attempt, decision, facts, deps) : decision,
};
