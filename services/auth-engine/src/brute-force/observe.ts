import type { Attempt } from "../pipeline/attempt.ts";
import type { BruteForce, BruteForceFacts } from "./brute-force.ts";

/** What brute-force protection would have done. */
export interface ObservedEvents {
  readonly refused: (attempt: Attempt, rule: string) => void;
  readonly delayed: () => void;
}

function withoutBan(facts: BruteForceFacts): void {
  facts.rule = undefined;
  facts.retryAfterSeconds = undefined;
}

/** Brute-force protection in the mode `observe`: it counts and records bans as usual, but no ban or delay takes effect. */
export function createObservingBruteForce(protection: BruteForce, events: ObservedEvents): BruteForce {
  const withoutDelay = (facts: BruteForceFacts): void => {
    if (facts.accountDelayMs > 0) events.delayed();
    facts.accountDelayMs = 0;
  };
  return {
    ...protection,
    check: async (attempt) => {
      const facts = await protection.check(attempt);
      if (facts?.rule === undefined) return facts;
      events.refused(attempt, facts.rule);
      withoutBan(facts);
      return facts;
    },
    countFailure: async (attempt, guessed, facts) => {
      await protection.countFailure(attempt, guessed, facts);
      withoutBan(facts);
      withoutDelay(facts);
    },
    recordSuccess: async (account, facts) => {
      await protection.recordSuccess(account, facts);
      withoutBan(facts);
    },
    determineDelay: async (account, facts) => {
      await protection.determineDelay(account, facts);
      withoutDelay(facts);
    },
  };
}
