export interface IssuedInvitation {
  readonly code: string;
  readonly expiresMs: number;
}

/**
 * Codes that vouch for the second factor of a new operator, for whom the password alone would otherwise be enough. Every method throws
 * AppError `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export interface Invitations {
  /** Replaces an earlier code of the account. */
  issue(account: string): Promise<IssuedInvitation>;
  /** Uses the code up. @returns whether it is the account's */
  redeem(account: string, code: string): Promise<boolean>;
}
