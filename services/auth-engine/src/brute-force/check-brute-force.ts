import type { AuthDecision } from "@postern/shared/contracts";
import { type Attempt, tokenMechanism } from "../pipeline/attempt.ts";
import type { Step } from "../pipeline/step.ts";
import { type BruteForce, blockedBy, type CountedFacts } from "./brute-force.ts";

/** Absent if `auth.controls.enabled` does not list brute-force protection. */
export interface BruteForceDep {
  readonly bruteForce: BruteForce | undefined;
}

async function refuseBanned(
  attempt: Attempt,
  facts: CountedFacts,
  bruteForce: BruteForce,
): Promise<AuthDecision | undefined> {
  const found = await bruteForce.check(attempt);
  if (found === undefined) return undefined;
  facts.bruteForce = found;
  return tokenMechanism(attempt.method) === undefined ? blockedBy(found) : undefined;
}

/**
 * Refuses a banned network before anything else happens, with one round trip to Redis. A ban stops guesses, and access tokens
 * cannot be guessed: verify-token refuses those that are not valid.
 */
export const checkBruteForce: Step<CountedFacts, BruteForceDep> = {
  name: "check-brute-force",
  run: (attempt, { facts }, { bruteForce }) =>
    bruteForce === undefined || attempt.operation !== "authenticate"
      ? undefined
      : refuseBanned(attempt, facts, bruteForce),
};
