/** Brakes guesses of codes, and sees that none counts twice. Everything throws AppError `REDIS_UNAVAILABLE`. */
export interface FactorGuard {
  /** Counts an attempt before it is judged, so that attempts at the same time count too. @returns whether it may be made */
  admit(account: string): Promise<boolean>;
  /** A right code: the count begins anew. */
  succeeded(account: string): Promise<void>;
  /** @returns false when a code of this time step was used before, at whatever replica */
  claimTotpStep(account: string, step: number): Promise<boolean>;
}
