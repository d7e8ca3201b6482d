/**
 * Browsers, identified by a cookie, separately for each account: the records do not show which accounts share a
 * browser.
 */
export interface KnownDevices {
  /** Whether the browser has signed in to this account before. */
  knows(account: string, deviceToken: string): Promise<boolean>;
  /** Records the sign-in. @returns whether the browser is new for this account; of concurrent calls, one gets true */
  isNew(account: string, deviceToken: string): Promise<boolean>;
}

/** Browsers keep no cookie longer (RFC 6265bis §5.5). */
export const deviceSeconds = 400 * 86_400;
