import type { Finalizer } from "../step.ts";

/**
 * Determines the account delay of a success: for an account whose password is being guessed, from a network that it does not
 * know. (For a failure, counting it has determined the delay.) Runs before the success is recorded, which makes the
 * network a known one.
 */
export const determineAccountDelay: Finalizer = {
  name: "determine-account-delay",
  run: (attempt, decision, { facts }, { bruteForce }) => {
    const found = facts.bruteForce;
    if (bruteForce === undefined || found === undefined || decision.outcome !== "ok") return decision;
    // App passwords and tokens cannot be guessed.
    if (facts.credential === "app_password" || facts.credential === "token") return decision;
    const account = attempt.masterLogin === undefined ? decision.account : attempt.username;
    return bruteForce.determineDelay(account, found).then(() => decision);
  },
};
