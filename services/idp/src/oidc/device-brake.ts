/** Slows down devices that ask too often, and addresses that guess user codes. */
export interface DeviceBrake {
  /** Whether the device may ask now; a hasty question lengthens its interval by five seconds (RFC 8628 §3.5). */
  mayPoll(deviceCode: string): Promise<boolean>;
  /** Whether this address has guessed too often. */
  isBraked(clientIp: string): Promise<boolean>;
  wrongCode(clientIp: string): Promise<void>;
}
