/**
 * Whether this engine notifies. `pending`: another one is about to, and may fail. `sent`: in the last half hour, a
 * notification was stored.
 */
export type NoticeClaim = "own" | "pending" | "sent";

/** Engines that decide sign-ins of one account at the same time do not see each other's: one of them notifies. */
export interface RiskNotices {
  /**
   * A claim ends by itself, so that neither a failed request nor the end of this engine keeps others from notifying. `own` even while
   * Redis is unavailable: two notifications are better than none. Both digests are those of `RiskNames`.
   */
  readonly claim: (account: string, network: string) => Promise<NoticeClaim>;
  /** The notification of a claim was stored. Never rejects: at worst there are two. */
  readonly settle: (account: string, network: string) => Promise<void>;
}
