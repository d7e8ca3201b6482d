import { randomUUID } from "node:crypto";
import { createRiskStore } from "@postern/shared/domain/risk";
import { type RedisClient, riskNoticeKey } from "@postern/shared/platform/redis";
import type { RiskNotices } from "./notices.ts";

const sent = "sent";
/** Earlier versions wrote it before they asked for the notification. */
const sentEarlier = "1";

/**
 * @param claimSeconds longer than a request for a notification may take.
 */
export function createRiskNotices(
  redis: RedisClient,
  keyPrefix: string,
  timeoutMs: number,
  claimSeconds: number,
): RiskNotices {
  const { replace } = createRiskStore(redis, timeoutMs);
  const own = `pending:${randomUUID()}`;
  const keyOf = (account: string, network: string): string => riskNoticeKey.build(keyPrefix, account, network);
  return {
    claim: async (account, network) => {
      const claim = { expected: "", replacement: own, lifeSeconds: claimSeconds };
      try {
        const present = await replace(keyOf(account, network), claim);
        if (present === undefined) return "own";
        return present === sent || present === sentEarlier ? "sent" : "pending";
      } catch {
        return "own";
      }
    },
    settle: async (account, network) => {
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
