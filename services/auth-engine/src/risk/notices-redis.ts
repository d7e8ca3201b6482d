import { randomUUID } from "node:crypto";
import { createRiskStore } from "@postern/shared/domain/risk";
import { type RedisClient, riskNoticeKey } from "@postern/shared/platform/redis";

/**
 * Whether this engine notifies. `pending`: another one is about to, and may fail. `sent`: in the last half hour, a
 * notification was stored.
 */
export type NoticeClaim = "own" | "pending" | "sent";

export type RiskNotices = ReturnType<typeof createRiskNotices>;

interface RiskNoticesDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly timeoutMs: number;
  /** Longer than a request for a notification may take. */
  readonly claimSeconds: number;
}

const sent = "sent";
/** Earlier versions wrote it before they asked for the notification. */
const sentEarlier = "1";

/**
 * Engines that decide sign-ins of one account at the same time do not see each other's: one of them notifies. Accounts and networks are
 * the digests of `RiskNames`.
 */
export function createRiskNotices({ redis, keyPrefix, timeoutMs, claimSeconds }: RiskNoticesDeps) {
  const { replace } = createRiskStore(redis, timeoutMs);
  const own = `pending:${randomUUID()}`;
  const keyOf = (account: string, network: string): string => riskNoticeKey.build(keyPrefix, account, network);
  return {
    /**
     * A claim ends by itself, so that neither a failed request nor the end of this engine keeps others from notifying. `own` even while
     * Redis is unavailable: two notifications are better than none.
     */
    claim: async (account: string, network: string): Promise<NoticeClaim> => {
      const claim = { expected: "", replacement: own, lifeSeconds: claimSeconds };
      try {
        const present = await replace(keyOf(account, network), claim);
        if (present === undefined) return "own";
        return present === sent || present === sentEarlier ? "sent" : "pending";
      } catch {
        return "own";
      }
    },
    /** Records that the notification of a claim was stored. Never rejects: at worst there are two. */
    settle: async (account: string, network: string): Promise<void> => {
      const key = keyOf(account, network);
      const settled = { replacement: sent, lifeSeconds: riskNoticeKey.ttlSeconds };
      try {
        const present = await replace(key, { ...settled, expected: own });
        // The claim has ended, or Redis was unavailable when it was made.
        if (present === "") await replace(key, { ...settled, expected: "" });
      } catch {
        // Another engine may notify too.
      }
    },
  };
}
