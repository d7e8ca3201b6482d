import type { LockableFactor } from "@postern/shared/domain/factor-locks";

type Counts = Readonly<Partial<Record<LockableFactor, number>>>;

/** Limits of the identity provider. */
export interface FactorLimitSettings {
  readonly maxAttempts: number;
  readonly maxFailures: number;
}

/** Why a second factor is not accepted now. Without an end, until an operator unlocks it. */
export interface FactorLimit {
  readonly factor: LockableFactor;
  readonly count: number;
  readonly endMs: number | undefined;
}

/** Counts of consecutive wrong codes of accounts, for operators who unlock factors. */
export interface FactorLocks {
  /**
   * Resets the account's counts to zero, whether or not a factor was locked. Repeatable.
   *
   * @returns consecutive wrong codes before the reset, for each factor that had any
   * @throws AppError REDIS_UNAVAILABLE
   */
  lift(account: string): Promise<Counts>;
  /**
   * Consecutive wrong codes now.
   *
   * @throws AppError REDIS_UNAVAILABLE
   */
  read(account: string): Promise<Counts>;
  /**
   * The limits that the account's factors have reached.
   *
   * @throws AppError REDIS_UNAVAILABLE
   */
  limits(account: string): Promise<readonly FactorLimit[]>;
}
