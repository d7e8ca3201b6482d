import type { LockableFactor } from "@postern/shared/domain/factor-locks";

/** Counts of consecutive wrong codes of accounts, for operators who unlock factors. */
export interface FactorLocks {
  /**
   * Resets the account's counts to zero, whether or not a factor was locked. Repeatable.
   *
   * @returns consecutive wrong codes before the reset, for each factor that had any
   * @throws AppError REDIS_UNAVAILABLE
   */
  lift(account: string): Promise<Readonly<Partial<Record<LockableFactor, number>>>>;
}
