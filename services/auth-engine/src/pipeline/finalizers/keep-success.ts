import type { AuthDecision, Ok } from "@postern/shared/contracts";
import type { Attempt } from "../../decision/attempt.ts";
import type { Facts } from "../../facts/facts.ts";
import type { Finalizer, StepDeps } from "../step.ts";
import { recordSuccess } from "./record-success.ts";
import { writeCaches } from "./write-caches.ts";

async function keep(attempt: Attempt, decision: Ok, facts: Facts, deps: StepDeps): Promise<AuthDecision> {
  const written = writeCaches(attempt, decision, facts, deps);
  const recorded = recordSuccess(attempt, decision, facts, deps);
  const [standing] = await Promise.all([recorded, written]);
  return standing;
}

/**
 * Whether there is anything to write. There is nothing for a success from this process's memory without failures before it, which was kept
 * when it was first made, and for a success that is neither cached nor recorded, such as a lookup without caches.
 */
function isNews({ operation }: Attempt, { cache, bruteForce }: Facts): boolean {
  if (cache?.servedFrom === "memory" && bruteForce?.pending !== true) return false;
  return cache !== undefined || (operation === "authenticate" && bruteForce !== undefined);
}

/**
 * Checks the ban again and writes the caches in one round trip. The cache entry of a success that the ban then refuses
 * is harmless, because the ban is checked before the caches are read.
 */
export const keepSuccess: Finalizer = {
  name: "keep-success",
  run: (attempt, decision, { facts }, deps) =>
    decision.outcome === "ok" && isNews(attempt, facts) ? keep(attempt, decision, facts, deps) : decision,
};
