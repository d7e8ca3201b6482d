import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import { digestOf } from "../../platform/crypto/index.ts";
import { sentNotificationsKey } from "../../platform/redis/keys/jobs.ts";
import { type HistoryStore, openRecord, sealRecord } from "./store.ts";

/** A user notification that one channel delivered or failed to deliver. Contains neither its text nor an address. */
const SentNotification = Type.Object({
  id: Type.String(),
  event: Type.String(),
  channel: Type.String(),
  outcome: Type.Union([Type.Literal("delivered"), Type.Literal("failed")]),
  timeMs: Type.Number(),
});
type SentNotification = Static<typeof SentNotification>;

export type SentNotifications = ReturnType<typeof createSentNotifications>;

const perAccount = 20;

/** The latest user notifications of each account, so that operators can say which ones a customer received. Rejects without Redis. */
export function createSentNotifications({ redis, keyPrefix, keys }: HistoryStore) {
  const keyOf = (account: string): string =>
    sentNotificationsKey.build(keyPrefix, digestOf(account.toLowerCase()).toString("base64url"));
  return {
    keep: async (account: string, sent: SentNotification): Promise<void> => {
      const key = keyOf(account);
      await redis
        .multi()
        .lpush(key, sealRecord(keys, key, sent, "base64url"))
        .ltrim(key, 0, perAccount - 1)
        .expire(key, sentNotificationsKey.ttlSeconds)
        .exec();
    },
    /** Newest first. */
    list: async (account: string): Promise<readonly SentNotification[]> => {
      const key = keyOf(account);
      const found = await redis.lrange(key, 0, perAccount - 1);
      return found
        .map((text) => openRecord(keys, key, text))
        .filter((value) => Value.Check(SentNotification, value))
        .toSorted((a, b) => b.timeMs - a.timeMs);
    },
  };
}
