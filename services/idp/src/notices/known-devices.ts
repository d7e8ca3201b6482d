/** Browsers by a cookie of their own, for each account apart: nobody learns from it which accounts share a browser. */
export interface KnownDevices {
  /** Notes the sign-in. @returns whether the browser was not seen before for this account, to one of all who ask at once */
  isNew(account: string, deviceToken: string): Promise<boolean>;
}

/** Browsers keep no cookie longer (RFC 6265bis §5.5). */
export const deviceSeconds = 400 * 86_400;
