/** Slows down devices that poll too often and browsers that guess user codes. */
export interface DeviceLimits {
  /** Whether the device may poll now; polling too early lengthens its interval by five seconds (RFC 8628 §3.5). */
  mayPoll(deviceCode: string): Promise<boolean>;
  /** Counts an entered user code for the browser and the address (RFC 8628 §5.1). @returns whether it may be checked */
  mayGuess(browser: string, address: string): Promise<boolean>;
}
