import { type Static, Type } from "typebox";
import { digestOf } from "../../platform/crypto/index.ts";
import { sentNotificationsKey } from "../../platform/redis/keys/jobs.ts";
import { createLatestRecords, type HistoryStore, newestFirst } from "./store.ts";

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

/** The latest user notifications of each account, so that operators can say which ones a customer received. Rejects without Redis. */
export function createSentNotifications(store: HistoryStore) {
  const latest = createLatestRecords(store, SentNotification, sentNotificationsKey.ttlSeconds);
  const keyOf = (account: string): string =>
    sentNotificationsKey.build(store.keyPrefix, digestOf(account.toLowerCase()).toString("base64url"));
  return {
    keep: (account: string, sent: SentNotification): Promise<void> => latest.add(keyOf(account), sent),
    /** Newest first. */
    list: async (account: string): Promise<readonly SentNotification[]> =>
      newestFirst(await latest.list(keyOf(account))),
  };
}
