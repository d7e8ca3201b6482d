import type { KeyRing } from "@postern/shared/platform/crypto";
import { decidedInRedis, oidcConsentKey, type RedisClient } from "@postern/shared/platform/redis";
import { digestOfId, wordsOf } from "../storage/models.ts";

const decided = decidedInRedis("consents cannot be read or written");

/** Remembered consent, so that users need not consent every time. It outlives the session. */
export function createConsents(redis: RedisClient, keyPrefix: string, keys: KeyRing) {
  const keyOf = (accountId: string, clientId: string): string =>
    oidcConsentKey.build(keyPrefix, digestOfId(JSON.stringify([accountId, clientId])));
  const read = async (key: string): Promise<readonly string[]> => {
    const stored = await decided(() => redis.get(key));
    return stored === null ? [] : wordsOf(keys.open(Buffer.from(stored, "base64"), key)?.toString("utf8"));
  };
  return {
    /** Whether the user has agreed to all of these scopes. */
    has: async (accountId: string, clientId: string, scopes: readonly string[]): Promise<boolean> => {
      const agreed = await read(keyOf(accountId, clientId));
      return agreed.length > 0 && scopes.every((scope) => agreed.includes(scope));
    },
    forget: async (accountId: string, clientId: string): Promise<void> => {
      await decided(() => redis.unlink(keyOf(accountId, clientId)));
    },
    remember: async (
      accountId: string,
      clientId: string,
      scopes: readonly string[],
      ttlSeconds: number,
    ): Promise<void> => {
      const key = keyOf(accountId, clientId);
      const all = new Set([...(await read(key)), ...scopes]);
      const sealed = keys.seal([...all].join(" "), key).toString("base64");
      await decided(() => redis.set(key, sealed, "EX", ttlSeconds));
    },
  };
}
