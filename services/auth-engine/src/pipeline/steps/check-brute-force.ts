import type { AuthDecision } from "@postern/shared/contracts";
import { blockedBy } from "../../brute-force/blocked-by.ts";
import type { BruteForce } from "../../brute-force/brute-force.ts";
import type { Attempt } from "../../decision/attempt.ts";
import type { Facts } from "../../facts/facts.ts";
import { tokenMechanism } from "../../mail-tokens/mechanism.ts";
import type { Step } from "../step.ts";

async function refuseBanned(attempt: Attempt, facts: Facts, bruteForce: BruteForce): Promise<AuthDecision | undefined> {
  const found = await bruteForce.check(attempt);
  if (found === undefined) return undefined;
  facts.bruteForce = found;
  return tokenMechanism(attempt.method) === undefined ? blockedBy(found) : undefined;
}

/**
 * Refuses a banned network before anything else happens, with one round trip to Redis. A ban stops guesses, and access tokens
 * cannot be guessed: verify-token refuses those that are not valid.
 */
export const checkBruteForce: Step = {
  name: "check-brute-force",
  run: (attempt, { facts }, { bruteForce }) =>
    bruteForce === undefined || attempt.operation !== "authenticate"
      ? undefined
      : refuseBanned(attempt, facts, bruteForce),
};
