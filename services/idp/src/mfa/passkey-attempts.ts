/**
 * Limits per network the attempts with unknown passkeys, by which names could be probed. Accounts are not counted, so
 * that no account can be locked this way. Every method throws AppError `REDIS_UNAVAILABLE`.
 */
export interface PasskeyAttempts {
  /**
   * Counts an attempt before it is verified, so that concurrent attempts count too. Without an address nothing is
   * counted, because all such browsers would share one count.
   *
   * @returns whether it may be made
   */
  admit(clientIp: string): Promise<boolean>;
  /** The attempt succeeded or could not be verified: undoes its count. */
  giveBack(clientIp: string): Promise<void>;
}
