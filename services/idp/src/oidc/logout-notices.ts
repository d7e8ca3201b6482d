/** What a client must be told: its user, or one session of the user, is signed out (Back-Channel Logout 1.0 §2.4). */
export interface LogoutNotice {
  readonly clientId: string;
  readonly sub: string;
  /** The session as the client's ID tokens named it; absent: every session of the user. */
  readonly sid?: string;
}

/** A notice that this replica delivers now; nobody else does while its lease lasts. */
export interface ClaimedNotice {
  readonly id: string;
  readonly notice: LogoutNotice;
  /** Attempts before this one. */
  readonly attempts: number;
}

/** Notices that wait for their clients, shared by all replicas. Rejects when Redis does not answer. */
export interface LogoutNotices {
  add(notices: readonly LogoutNotice[]): Promise<void>;
  /** Those that are due, the oldest first. One that is not settled comes back after its lease. */
  claim(most: number, leaseMs: number): Promise<readonly ClaimedNotice[]>;
  /** Delivered, or given up. */
  settle(id: string): Promise<void>;
  retry(id: string, delayMs: number): Promise<void>;
}

/** A notice waits as long as the longest session that it can be about is worth knowing of. */
export const noticeLifeSeconds = 86_400;

/** How clients are told, in ms. */
export interface NoticeTimes {
  /** Of one attempt. */
  readonly timeoutMs: number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
}

/** Longer than one attempt may take, so that no two replicas deliver the same notice at a time. */
export function noticeLeaseMs({ timeoutMs }: Pick<NoticeTimes, "timeoutMs">): number {
  return 3 * timeoutMs;
}

/** The first delay, then twice as long each time. */
export function noticeDelayMs(attempts: number, { firstDelayMs, longestDelayMs }: NoticeTimes): number {
  return Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(attempts, 16));
}
