import type { AuthDecision } from "@postern/shared/contracts";
import type { BruteForceFacts } from "../../brute-force/brute-force.ts";
import type { Finish } from "../step.ts";

/** Denials that are a guess gone wrong. A refusal for another reason says nothing about the password. */
const guesses: ReadonlySet<string> = new Set(["wrong_password", "unknown_user", "account_disabled", "bad_token"]);

/** Whether a decision is a wrong guess, which counts against its network. */
function isGuess(decision: AuthDecision): boolean {
  return decision.outcome === "fail" && guesses.has(decision.reason);
}

/** The history of wrong passwords goes with the denial, to the line that the gateway logs of it. */
function withHistory(
  decision: AuthDecision,
  { accountPasswordsSeen, totalPasswordsSeen }: BruteForceFacts,
): AuthDecision {
  return decision.outcome === "fail" ? { ...decision, accountPasswordsSeen, totalPasswordsSeen } : decision;
}

/** A wrong guess is counted; the count itself decides about the ban, so that parallel guesses cannot pass it. */
export const countFailure: Finish = {
  name: "count-failure",
  run: (attempt, decision, { facts }, { bruteForce }) => {
    if (bruteForce === undefined || facts.bruteForce === undefined || !isGuess(decision)) return decision;
    // A bad token names no account; like a known one's, its repetitions count once.
    const known = facts.accountKnown === true || (decision.outcome === "fail" && decision.reason === "bad_token");
    const found = facts.bruteForce;
    const guessed = { isKnown: known, account: facts.guessedAccount };
    return bruteForce.countFailure(attempt, guessed, found).then(() => withHistory(decision, found));
  },
};
