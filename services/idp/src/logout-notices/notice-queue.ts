/** A notice that this replica delivers now; nobody else does while its lease lasts. */
export interface Claimed<Notice> {
  readonly id: string;
  readonly notice: Notice;
  /** Attempts before this one. */
  readonly attempts: number;
}

/** Notices that wait for whom they are meant, shared by all replicas. Rejects when Redis does not answer. */
export interface NoticeQueue<Notice> {
  add(notices: readonly Notice[]): Promise<void>;
  /** Adds them as claimed by this replica, which attempts them at once; if it dies, they are due after the lease. */
  addClaimed(notices: readonly Notice[]): Promise<readonly Claimed<Notice>[]>;
  /** Those that are due, the oldest first. One that is not settled comes back after its lease. */
  claim(most: number): Promise<readonly Claimed<Notice>[]>;
  /** Delivered, or given up. */
  settle(id: string): Promise<void>;
  retry(id: string, delayMs: number): Promise<void>;
}

/** How somebody is told. */
export interface NoticeTimes {
  /** Of one attempt. */
  readonly timeoutMs: number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
}

/** For how long a claimed notice is nobody else's: longer than one attempt may take. */
export function noticeLeaseMs({ timeoutMs }: Pick<NoticeTimes, "timeoutMs">): number {
  return 3 * timeoutMs;
}

/** The first delay, then twice as long each time. */
export function noticeDelayMs(attempts: number, { firstDelayMs, longestDelayMs }: NoticeTimes): number {
  return Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(attempts, 16));
}
