import type { AuthDecision, Ok } from "@postern/shared/contracts";
import { blockedBy } from "../../brute-force/blocked-by.ts";
import type { Attempt } from "../../decision/attempt.ts";
import type { Facts } from "../../facts/facts.ts";
import type { StepDeps } from "../step.ts";

/** A cached success was recorded when it was cached. It is recorded again only if failures preceded it. */
function hasNews({ bruteForce, cache }: Facts): boolean {
  return bruteForce?.pending === true || cache?.servedFrom === undefined;
}

/**
 * Records a success and checks the ban again: a correct password is refused if other guesses reached the limit while it
 * was verified.
 */
export async function recordSuccess(
  attempt: Attempt,
  decision: Ok,
  facts: Facts,
  { bruteForce }: StepDeps,
): Promise<AuthDecision> {
  const found = facts.bruteForce;
  if (bruteForce === undefined || found === undefined) return decision;
  if (attempt.operation !== "authenticate" || !hasNews(facts)) return decision;
  // With a master user, the correct password was the master user's.
  const account = attempt.masterLogin === undefined ? decision.account : attempt.username;
  await bruteForce.recordSuccess(account, found);
  // Guesses say nothing about a token.
  return facts.credential === "token" ? decision : (blockedBy(found) ?? decision);
}
