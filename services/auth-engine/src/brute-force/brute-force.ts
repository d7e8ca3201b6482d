import type { Blocked } from "@postern/shared/contracts";
import type { Ban, FlushedScopes } from "@postern/shared/domain/brute-force";
import type { Attempt } from "../pipeline/attempt.ts";
import type { AccountFacts } from "../pipeline/step.ts";
import type { CountedAccount, CountedAttempt, RiskRead } from "./shared-store.ts";

/** State of brute-force protection for later steps, policies and logs. */
export interface BruteForceFacts {
  /** The attempt as the rules see it; absent if no rule applies or the client address is missing. */
  readonly target: CountedAttempt | undefined;
  /** The attempt as its account sees it; absent if account delays are disabled. */
  readonly account: CountedAccount | undefined;
  /** Distinct wrong passwords of a delayed account when the attempt arrived. */
  readonly accountFailures: number;
  /** The account delay of the answer. */
  accountDelayMs: number;
  /** The rule whose ban is in force. */
  rule?: string | undefined;
  /** Seconds until that ban ends; at least 1. */
  retryAfterSeconds?: number | undefined;
  /** Whether this failure raised a counter. */
  counted: boolean;
  /** Whether it repeats the same wrong password for the same account from the same network. */
  repeatedWrongPassword: boolean;
  /** Redis is unavailable: local counters decide. */
  degraded: boolean;
  /**
   * Failures from this network whose account may soon sign in: its success must reach Redis even if it is a cached one.
   */
  pending: boolean;
  /** What the check read about the account and the network. Absent if the attempt is not scored, or Redis did not answer. */
  readonly riskRead?: RiskRead | undefined;
  /** Distinct wrong passwords for this account from this network. */
  accountPasswordsSeen: number;
  /** Distinct guesses (account and password) from this network. */
  totalPasswordsSeen: number;
}

export interface CountedFacts extends AccountFacts {
  /** Set by check-brute-force and count-failure. Absent if nothing is counted. */
  bruteForce?: BruteForceFacts;
  /** Whether a denial says nothing of guessing, whatever its reason: what was sent is valid, but not for this. */
  isNoGuess?: boolean;
}

/** The denial of a banned network; undefined without a ban. */
export function blockedBy({ rule, retryAfterSeconds }: BruteForceFacts): Blocked | undefined {
  if (rule === undefined) return undefined;
  const blocked = { outcome: "blocked", rule, memoryCache: "miss" } as const;
  return retryAfterSeconds === undefined ? blocked : { ...blocked, retryAfterSeconds };
}

/** The account for which a wrong password was sent. */
export interface WrongGuess {
  /** Whether the account exists. */
  readonly isKnown: boolean;
  /** Whether the guess was a password, and not a token. */
  readonly isPassword: boolean;
  /**
   * It counts for the account, like any other name, but not against the network: the stored password cannot be verified, so no password could
   * be right, or another server denied it, perhaps because of a ban. All users of the network may have the same fault.
   */
  readonly sparesNetwork?: boolean;
  /** The backend's own name for it; absent if none was returned. */
  readonly account: string | undefined;
}

/** Brute-force protection, as the pipeline uses it. */
export interface BruteForce {
  /**
   * Checks for a ban and a delayed account, in one round trip. Undefined if nothing is counted for this attempt.
   *
   * @throws AppError REDIS_UNAVAILABLE if Redis is unavailable and the site configured temporary failures for that.
   */
  check(attempt: Attempt): Promise<BruteForceFacts | undefined>;
  /** Counts a failure for its network and its account and writes the ban, atomically. Updates `facts`. */
  countFailure(attempt: Attempt, guessed: WrongGuess, facts: BruteForceFacts): Promise<void>;
  /** Records a success, unless a ban is in force by now; then `facts.rule` is its rule. */
  recordSuccess(account: string, facts: BruteForceFacts): Promise<void>;
  /**
   * Determines the account delay of a success if its account is under attack and does not know the network.
   */
  determineDelay(account: string, facts: BruteForceFacts): Promise<void>;
  /** Remembers a ban of Redis, so that it stays in force while Redis is unavailable. */
  keepBan(ban: Ban): void;
  /** Removes flushed bans and counts, which this process remembers for an outage of Redis. */
  flush(scopes: FlushedScopes): void;
}
