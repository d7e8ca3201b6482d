/** A logout message that this replica has claimed; no other replica delivers it during the lease. */
export interface Claimed<Delivery> {
  readonly id: string;
  readonly delivery: Delivery;
  /** Attempts before this one. */
  readonly attempts: number;
}

/** The queue of logout messages, shared by all replicas. Rejects if Redis does not answer. */
export interface DeliveryQueue<Delivery> {
  add(deliveries: readonly Delivery[]): Promise<void>;
  /**
   * Adds messages claimed by this replica, which attempts them immediately; if it dies, they are due after the lease.
   */
  addClaimed(deliveries: readonly Delivery[]): Promise<readonly Claimed<Delivery>[]>;
  /** The due messages, the oldest first. A message that is not settled becomes due again after its lease. */
  claim(limit: number): Promise<readonly Claimed<Delivery>[]>;
  /** Delivered, or failed permanently. */
  settle(id: string): Promise<void>;
  retry(id: string, delayMs: number): Promise<void>;
}

/** Times of one kind of delivery. */
export interface DeliveryTimes {
  /** Timeout of one attempt. */
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
