export interface UsedStep {
  readonly account: string;
  /** The stored secret. */
  readonly stored: string;
  readonly step: number;
}

export type GuardedFactor = "totp" | "recovery" | "webauthn";

/** An attempt to prove a second factor at sign-in. */
export interface FactorAttempt {
  readonly account: string;
  readonly method: GuardedFactor;
  readonly flowId: string;
  /** Whether the password was correct. Only then does the attempt count for the account. */
  readonly isProved: boolean;
  /** Whether that must remain hidden. Then the page depends only on the flow's own attempts. */
  readonly isHidden: boolean;
}

/**
 * `throttled`: too many recent attempts. `locked`: too many consecutive wrong codes; an operator can unlock. `discarded`: the
 * account is throttled or locked, which must not show: the attempt runs like any other and is rejected in any case.
 */
export type Admission = "admitted" | "throttled" | "locked" | "discarded";

export interface Admitted {
  readonly admission: Admission;
  /** Number of consecutive wrong codes if this one is wrong; 0 if they are not counted. */
  readonly failures: number;
}

/** Limits the guessing of codes and prevents their reuse. Every method throws AppError `REDIS_UNAVAILABLE`. */
export interface FactorGuard {
  /** Counts an attempt before it is verified, so that concurrent attempts count too. */
  admit(attempt: FactorAttempt): Promise<Admitted>;
  /** The attempt could not be verified: undoes what `admit` counted for the account and the flow. */
  undecided(attempt: FactorAttempt, admission: Admission): Promise<void>;
  /** The code was correct: resets the counts. */
  succeeded(attempt: Pick<FactorAttempt, "account" | "method">): Promise<void>;
  /** Counts a code that confirms a new factor of a signed-in user. @returns whether it may be tried */
  admitSetup(account: string): Promise<boolean>;
  /** The factor was replaced: resets its count. */
  replaced(account: string, method: GuardedFactor): Promise<void>;
  /**
   * Counts per secret, because the first code of a new secret may fall into the step in which the old one was used.
   *
   * @returns false if a code of this secret's time step was used before, on any replica
   */
  claimTotpStep(used: UsedStep): Promise<boolean>;
}
