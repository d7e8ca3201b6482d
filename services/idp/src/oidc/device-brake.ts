/** Slows down devices that ask too often. */
export interface DeviceBrake {
  /** Whether the device may ask now; a hasty question lengthens its interval by five seconds (RFC 8628 §3.5). */
  mayPoll(deviceCode: string): Promise<boolean>;
}
