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

/** For how long a claimed notice is nobody else's: longer than one attempt may take. */
export const leaseMs = 15_000;

const firstDelayMs = 1000;
const longestDelayMs = 60_000;

/** 1, 2, 4 … 60 s. */
export function noticeDelayMs(attempts: number): number {
  return Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(attempts, 16));
}
