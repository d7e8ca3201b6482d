import type { FlushedPlaces } from "@postern/shared/brute-force";
import type { Attempt } from "../pipeline/attempt.ts";
import type { Target } from "./guess-store.ts";

/** What the protection against guessing tells the steps after it: policies, logs. */
export interface BruteForceFacts {
  /** The attempt as the rules see it. */
  readonly target: Target;
  /** The rule whose ban stands. */
  rule?: string | undefined;
  /** This failure moved a counter. */
  counted: boolean;
  /** The same wrong password for the same account from the same network, again. */
  repeatedWrongPassword: boolean;
  /** Redis is away: local counters decide. */
  degraded: boolean;
  /** Failures from here whose account may soon sign in: its success must be told to Redis even when it is a cached one. */
  pending: boolean;
  /** Distinct wrong passwords for this account from this network. */
  accountPasswordsSeen: number;
  /** Distinct guesses (account and password) from this network. */
  totalPasswordsSeen: number;
}

/** Who was guessed at. */
export interface Guessed {
  /** Whether there is such an account. */
  readonly isKnown: boolean;
  /** What a directory calls it; absent where none said so. */
  readonly account: string | undefined;
}

/** The protection against guessing, as the pipeline uses it. */
export interface BruteForce {
  /**
   * Looks for a ban, in one round trip. Undefined: nothing is counted for this attempt.
   *
   * @throws AppError REDIS_UNAVAILABLE while Redis is away and the site wants temporary failures then.
   */
  check(attempt: Attempt): Promise<BruteForceFacts> | undefined;
  /** Counts a failure and writes the ban, atomically. Fills in `facts`. */
  countFailure(attempt: Attempt, guessed: Guessed, facts: BruteForceFacts): Promise<void>;
  /** Learns from a success, unless a ban stands by now: `facts.rule` names it then. */
  recordSuccess(account: string, facts: BruteForceFacts): Promise<void>;
  /** These were flushed: what this process remembers of them for an outage of Redis goes. */
  forget(places: FlushedPlaces): void;
}
