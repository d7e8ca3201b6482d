/** Slows down devices that ask too often, and browsers that guess user codes. */
export interface DeviceBrake {
  /** Whether the device may ask now; a hasty question lengthens its interval by five seconds (RFC 8628 §3.5). */
  mayPoll(deviceCode: string): Promise<boolean>;
  /** Counts a user code that was typed, for the browser and for the address (RFC 8628 §5.1). */
  mayGuess(browser: string, address: string): Promise<boolean>;
}
