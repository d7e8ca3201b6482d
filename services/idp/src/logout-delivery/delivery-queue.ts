/** A logout message that this replica has claimed; no other replica delivers it during the lease. */
export interface Claimed<Delivery> {
  readonly id: string;
  readonly delivery: Delivery;
  /** Attempts before this one. */
  readonly attempts: number;
}

export interface DeliveryTimes {
  readonly timeoutMs: number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
}

/** How long a claimed message is reserved for one replica: longer than one attempt may take. */
export function deliveryLeaseMs({ timeoutMs }: Pick<DeliveryTimes, "timeoutMs">): number {
  return 3 * timeoutMs;
}

/** Starts with the first delay and doubles it each time. */
export function deliveryDelayMs(attempts: number, { firstDelayMs, longestDelayMs }: DeliveryTimes): number {
  return Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(attempts, 16));
}
