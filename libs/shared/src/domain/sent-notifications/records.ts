import { compileCheck } from "../../platform/bus/schema-check.ts";
import { digestOf, type KeyRing } from "../../platform/crypto/index.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { sentNotificationsKey } from "../../platform/redis/keys/jobs.ts";
import { SentNotification } from "./sent-notification.ts";

const perAccount = 20;
const check = compileCheck(SentNotification);

/**
 * The latest user notifications of each account, so that operators can say which ones a customer received. Rejects without Redis.
 * @param redis of the role `state`.
 */
export function createSentNotifications(redis: RedisClient, keyPrefix: string, keys: KeyRing) {
  const keyOf = (account: string): string =>
    sentNotificationsKey.build(keyPrefix, digestOf(account.toLowerCase()).toString("base64url"));
  const opened = (key: string, text: string): readonly SentNotification[] => {
    const plain = keys.open(Buffer.from(text, "base64url"), key);
    const value: unknown = plain === undefined ? undefined : JSON.parse(plain.toString("utf8"));
    return check.accepts(value) ? [value] : [];
  };
  return {
    keep: async (account: string, sent: SentNotification): Promise<void> => {
      const key = keyOf(account);
      const sealed = keys.seal(JSON.stringify(sent), key).toString("base64url");
      await redis
        .multi()
        .lpush(key, sealed)
        .ltrim(key, 0, perAccount - 1)
        .expire(key, sentNotificationsKey.ttlSeconds)
        .exec();
    },
    /** Newest first. */
    list: async (account: string): Promise<readonly SentNotification[]> => {
      const key = keyOf(account);
      const found = await redis.lrange(key, 0, perAccount - 1);
      return found.flatMap((text) => opened(key, text)).toSorted((a, b) => b.timeMs - a.timeMs);
    },
  };
}

export type SentNotifications = ReturnType<typeof createSentNotifications>;
