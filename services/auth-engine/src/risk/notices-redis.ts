import { within } from "@postern/shared/platform/concurrency";
import { type RedisClient, riskNoticeKey } from "@postern/shared/platform/redis";

/** Engines that decide sign-ins of one account at the same time do not see each other's: one of them notifies. */
export interface RiskNotices {
  /**
   * Whether this engine notifies. Also while Redis is unavailable: two notifications are better than none. Both digests
   * are those of `RiskNames`.
   */
  readonly claim: (account: string, network: string) => Promise<boolean>;
}

export interface RiskNoticesDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly timeoutMs: number;
}

export function createRiskNotices({ redis, keyPrefix, timeoutMs }: RiskNoticesDeps): RiskNotices {
  return {
    claim: async (account, network) => {
      const key = riskNoticeKey.build(keyPrefix, account, network);
      try {
        return (await within(redis.set(key, "1", "EX", riskNoticeKey.ttlSeconds, "NX"), timeoutMs)) === "OK";
      } catch {
        return true;
      }
    },
  };
}
